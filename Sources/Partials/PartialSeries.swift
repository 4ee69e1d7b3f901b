import Capture
import HTTPReassembly

/// The segments of several partials in the order in which one run reads their captures.
public struct PartialSeries: Sendable {
  /// What is made of captures that have the same packets.
  public enum Copies: Sendable {
    /// Nothing is read.
    case refused
    /// The later capture is left out.
    case leftOut
    /// All are read: somebody looks for copies.
    case read
  }

  /// The segments, in order.
  public let segments: [PartialSegment]
  /// Why captures were left out.
  public let leftOut: [CaptureError]

  /// Puts the segments of partials in the order of their captures' first packets. Those of captures without packets come last.
  ///
  /// - Parameters:
  ///   - paths: The partials.
  ///   - copies: What is made of captures that have the same packets.
  /// - Throws: when one cannot be read, when they were not made with the same options and secrets, or when two have the same packets and must
  ///   not.
  public init(_ paths: [String], copies: Copies = .refused) throws(PartialError) {
    var segments: [PartialSegment] = []
    var samples = SampleRoom()
    for path in paths {
      for var segment in try PartialSegment.all(in: path) {
        samples.take(&segment, among: &segments)
        segments.append(segment)
      }
    }
    segments.sort { Self.key($0) < Self.key($1) }
    var leftOut: [CaptureError] = []
    if copies != .read {
      let found = Self.copies(in: segments)
      if copies == .refused, let first = found.first { throw Self.fault(segments[first.index], segments[first.other]) }
      leftOut = found.map {
        CaptureError(
          file: segments[$0.index].head.capture, problem: .hasPacketsOf(segments[$0.other].head.capture))
      }
      let copies = Set(found.map(\.index))
      segments = segments.indices.filter { !copies.contains($0) }.map { segments[$0] }
    }
    for index in segments.indices { segments[index].head.sample = [] }
    for segment in segments.dropFirst() where segment.head.options != segments[0].head.options {
      throw PartialError(segment.file, .options(segment.head.options))
    }
    for segment in segments.dropFirst() where segment.head.keys != segments[0].head.keys {
      throw PartialError(segment.file, .keys)
    }
    self.segments = segments
    self.leftOut = leftOut
  }

  /// Captures that have the same packets as an earlier one: all, whatever their names, or some of the same time.
  private static func copies(in segments: [PartialSegment]) -> [(index: Int, other: Int)] {
    var copies: [(index: Int, other: Int)] = []
    var seen = SeenTraffic()
    var before: Int?
    for (index, segment) in segments.enumerated() {
      guard let first = segment.head.first, let last = segment.head.last else { continue }
      if let before, isSame(segments[before].head, segment.head) {
        copies.append((index, before))
      } else if let other = seen.capture(with: segment.head.sample, from: first) {
        copies.append((index, other))
      } else {
        seen.add(segment.head.sample, of: index, until: last, first: first)
        before = index
      }
    }
    return copies
  }

  private static func fault(_ segment: PartialSegment, _ other: PartialSegment) -> PartialError {
    if isSame(other.head, segment.head) { return PartialError(segment.file, .repeated(other.file)) }
    return PartialError(
      segment.file,
      .hasPacketsOf(capture: segment.head.capture, other: other.head.capture, in: other.file))
  }

  /// What samples of captures take while all heads are read: beyond a limit, the larger half of the marks' range is given up.
  private struct SampleRoom {
    private var count = 0
    private var bound = UInt64.max
    private static let limit = 1 << 20

    mutating func take(_ segment: inout PartialSegment, among segments: inout [PartialSegment]) {
      narrow(&segment)
      while count > Self.limit {
        bound >>= 1
        count = 0
        for index in segments.indices { narrow(&segments[index]) }
        narrow(&segment)
      }
    }

    private mutating func narrow(_ segment: inout PartialSegment) {
      let bound = bound
      segment.head.sample.removeAll { $0 > bound }
      count += segment.head.sample.count
    }
  }

  /// Refuses partials that were made with other choices than an analysis of them has.
  ///
  /// - Parameters:
  ///   - options: As `PartialHead.options`.
  ///   - keys: As `PartialHead.keys`.
  ///   - interval: As `PartialHead.interval`.
  /// - Throws: what is not the same.
  public func require(options: String, keys: String, interval: Int64) throws(PartialError) {
    guard let segment = segments.first else { return }
    if segment.head.options != options { throw PartialError(segment.file, .options(segment.head.options)) }
    if segment.head.keys != keys { throw PartialError(segment.file, .keys) }
    for segment in segments where segment.head.interval != interval { throw PartialError(segment.file, .interval) }
  }

  /// Octets of all segments.
  public var length: Int { segments.reduce(0) { $0 + $1.length } }

  /// Octets of the captures that they were made of.
  public var captureLength: Int {
    segments.reduce(0) { $0.addingReportingOverflow($1.head.captureLength).partialValue }
  }

  /// Packets that the capturing machines say they lost; nil where none says.
  public var dropped: Int? {
    segments.reduce(nil) { sum, segment in
      segment.head.dropped.map { ($0.addingReportingOverflow(sum ?? 0).partialValue) } ?? sum
    }
  }

  /// Whether the packets of the capture of a segment follow those before, as those of files that were rotated do: else connections do not
  /// reach from the one into the other.
  public func continues(_ index: Int) -> Bool {
    guard index > 0, let last = segments[..<index].last(where: { $0.head.last != nil })?.head.last else { return false }
    guard let first = segments[index].head.first else { return true }
    let (limit, overflow) = last.subtractingReportingOverflow(CaptureSeries.overlap)
    return overflow || first >= limit
  }

  // Nothing of it depends on the order in which partials are named.
  private static func key(_ segment: PartialSegment) -> (Int64, String, Int64, UInt64, Int) {
    let head = segment.head
    return (head.first ?? .max, head.capture, head.last ?? .max, head.mark, segment.length)
  }

  /// Whether two segments are of one capture: it may have had another name, but has the same packets.
  private static func isSame(_ a: PartialHead, _ b: PartialHead) -> Bool {
    a.first != nil && a.first == b.first && a.last == b.last && a.packets == b.packets && a.mark == b.mark
  }
}
