import Capture
import HTTPReassembly

/// The segments of several partials, in the order in which a run reads their captures.
public struct PartialSeries: Sendable {
  /// The segments, in order.
  public let segments: [PartialSegment]
  /// The partials that are damaged, so that their segments cannot be told.
  public let faults: [PartialError]

  /// Sorts the segments of partials by the first packets of their captures. Captures without packets come last.
  ///
  /// - Parameters:
  ///   - paths: The partials.
  ///   - mayRepeat: Whether a capture may occur more than once.
  /// - Throws: if a partial cannot be read, if all are damaged, if they have different options or secrets, or if a capture occurs twice and
  ///   must not.
  public init(_ paths: [String], mayRepeat: Bool = false) throws(PartialError) {
    var segments: [PartialSegment] = []
    var faults: [PartialError] = []
    for path in paths {
      do throws(PartialError) { segments += try PartialSegment.all(in: path) } catch {
        guard error.problem == .damaged else { throw error }
        faults.append(error)
      }
    }
    if segments.isEmpty, let fault = faults.first { throw fault }
    self.faults = faults
    segments.sort { Self.key($0) < Self.key($1) }
    for (segment, next) in zip(segments, segments.dropFirst()) {
      if !mayRepeat, Self.isSame(segment.head, next.head) { throw PartialError(next.file, .repeated(segment.file)) }
      if segment.head.options != next.head.options {
        throw PartialError(next.file, .options(next.head.options, expected: segment.head.options))
      }
      if segment.head.keys != next.head.keys { throw PartialError(next.file, .keys) }
    }
    self.segments = segments
  }

  /// Refuses partials that were made with other choices than the analysis has.
  ///
  /// - Parameters:
  ///   - options: As `PartialHead.options`.
  ///   - keys: As `PartialHead.keys`.
  ///   - interval: As `PartialHead.interval`.
  /// - Throws: the first difference.
  public func require(options: String, keys: String, interval: Int64) throws(PartialError) {
    guard let segment = segments.first else { return }
    if segment.head.options != options {
      throw PartialError(segment.file, .options(segment.head.options, expected: options))
    }
    if segment.head.keys != keys { throw PartialError(segment.file, .keys) }
    for segment in segments where segment.head.interval != interval { throw PartialError(segment.file, .interval) }
  }

  /// Octets of all segments.
  public var length: Int { segments.reduce(0) { $0 + $1.length } }

  /// Octets of the captures that the segments were made from.
  public var captureLength: Int {
    segments.reduce(0) { $0.addingReportingOverflow($1.head.captureLength).partialValue }
  }

  /// Packets that the capturing machines report as lost; nil if none reports.
  public var dropped: Int? {
    segments.reduce(nil) { sum, segment in
      segment.head.dropped.map { ($0.addingReportingOverflow(sum ?? 0).partialValue) } ?? sum
    }
  }

  /// Whether the packets of a segment's capture follow those before, as in rotated files. If not, no connection reaches from one into the
  /// other.
  public func continues(_ index: Int) -> Bool {
    guard index > 0, let last = segments[..<index].last(where: { $0.head.last != nil })?.head.last else { return false }
    guard let first = segments[index].head.first else { return true }
    let (limit, overflow) = last.subtractingReportingOverflow(CaptureSeries.overlap)
    return overflow || first >= limit
  }

  // The key does not depend on the order in which partials are named.
  private static func key(_ segment: PartialSegment) -> (Int64, String, Int64, UInt64, Int) {
    let head = segment.head
    return (head.first ?? .max, head.capture, head.last ?? .max, head.mark, segment.length)
  }

  /// Whether two segments are of one capture: their packets are the same, though their names may differ.
  private static func isSame(_ a: PartialHead, _ b: PartialHead) -> Bool {
    a.first != nil && a.first == b.first && a.last == b.last && a.packets == b.packets && a.mark == b.mark
  }
}
