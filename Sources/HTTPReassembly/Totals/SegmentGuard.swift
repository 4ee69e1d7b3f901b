/// A segment with too many values for an API each.
public struct FoldedSegment: Sendable, Equatable {
  /// The host, as octets.
  public var host: [UInt8]
  /// The path up to the segment, which is `{…}` in it, as octets.
  public var path: [UInt8]
}

/// Prevents that each value of a path segment becomes an API: after the first values under the same parent, it is `{…}`.
///
/// The first values stay, because rows that name them have been written. So each path has the same API for the whole run.
package struct SegmentGuard: Sendable {
  /// Values of a segment that are told apart under one parent; 0 for all.
  private let limit: Int
  /// The number of values told apart, by the marks of parents.
  private var counts: [UInt64: Int] = [:]
  /// The marks of those values together with their parents.
  private var known: Set<UInt64> = []
  /// Segments that are `{…}` for some values, in the order in which that began; only the first of very many.
  private(set) package var folded: [FoldedSegment] = []

  /// Values told apart, all parents together. With more, there are more APIs than their table holds.
  static let valueLimit = 1 << 18
  /// The largest number of folded segments that are listed.
  static let nameLimit = 100

  private static let placeholder: [UInt8] = Array("{…}".utf8)

  /// Creates a guard as the configuration asks for.
  package init(_ configuration: Configuration) {
    // Values that are told apart stay so only while the keys of their marks do.
    OctetMark.chooseKeys()
    limit = configuration.templatePaths ? configuration.segmentValueLimit : 0
  }

  /// Octets of memory that the guard takes.
  package var memory: Int { counts.capacity * 24 + known.capacity * 12 + folded.count * 160 }

  /// The path, with segments folded that have too many values.
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

  /// Whether a value is among the first under its parent.
  private mutating func isToldApart(_ value: UInt64, _ parent: UInt64) -> Bool {
    if known.contains(value) { return true }
    let count = counts[parent, default: 0]
    guard count < limit else { return false }
    // Without room to count, no segment is folded.
    guard known.count < Self.valueLimit else { return true }
    known.insert(value)
    counts[parent] = count + 1
    return true
  }
}
