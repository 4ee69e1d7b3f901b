/// A segment that has too many values for each to be an API of its own.
public struct FoldedSegment: Sendable, Equatable {
  /// The host, as octets.
  public var host: [UInt8]
  /// The path up to the segment, which is `{…}` in it, as octets.
  public var path: [UInt8]
}

/// Keeps a segment of paths from making an API of each of its values: behind the first ones under the same parent it is `{…}`.
///
/// The first ones stay what they are, because rows have been written that name them. So each path has the same API for the whole run.
package struct SegmentGuard: Sendable {
  /// Values of a segment under one parent that are told apart; 0 for all.
  private let limit: Int
  /// How many values are told apart, by the marks of parents.
  private var counts: [UInt64: Int] = [:]
  /// The marks of those values with their parents.
  private var known: Set<UInt64> = []
  /// The segments that are `{…}` for some values, in the order in which that began: some of them, where there are very many.
  private(set) package var folded: [FoldedSegment] = []

  /// Values that are told apart, of all parents: with more APIs than fit into the table of them anyway.
  static let valueLimit = 1 << 18
  /// Folded segments that are named.
  static let nameLimit = 100

  private static let placeholder: [UInt8] = Array("{…}".utf8)

  /// As a configuration asks for.
  package init(_ configuration: Configuration) {
    limit = configuration.templatePaths ? configuration.segmentValueLimit : 0
  }

  /// Octets of memory that it takes.
  package var memory: Int { counts.capacity * 24 + known.capacity * 12 + folded.count * 160 }

  /// The path with those segments folded that have too many values.
  package mutating func fold(_ path: [UInt8], of host: [UInt8]) -> [UInt8] {
    guard limit > 0 else { return path }
    var result: [UInt8] = []
    result.reserveCapacity(path.count)
    var parent = host.withOctets { OctetMark.of($0) }
    for (index, segment) in PathTemplate.segments(of: path).enumerated() {
      if index > 0 { result.append(ASCII.slash) }
      guard !segment.isEmpty else { continue }
      var value = OctetMark.mix(parent, Array(segment).withOctets { OctetMark.of($0) })
      if segment.starts(with: PathTemplate.placeholder) || isToldApart(value, parent) {
        result += segment
      } else {
        result += Self.placeholder
        value = OctetMark.mix(parent, .max)
        if folded.count < Self.nameLimit, known.insert(value).inserted {
          folded.append(FoldedSegment(host: host, path: result))
        }
      }
      parent = value
    }
    return result
  }

  /// Whether a value is one of the first ones under its parent.
  private mutating func isToldApart(_ value: UInt64, _ parent: UInt64) -> Bool {
    if known.contains(value) { return true }
    let count = counts[parent, default: 0]
    guard count < limit else { return false }
    // Where there is no room to tell, no segment is folded that may not need it.
    guard known.count < Self.valueLimit else { return true }
    known.insert(value)
    counts[parent] = count + 1
    return true
  }
}
