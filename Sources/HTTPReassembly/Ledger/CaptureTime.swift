/// Capture times as the analysis uses them.
enum PacketTime {
  /// The largest distance of a time from the epoch, in nanoseconds: 146 years, which is in 2116. The difference of any two times then fits
  /// into 64 bits. A time beyond is from a damaged or hostile capture.
  static var limit: Int64 { (1 << 62) - 1 }

  /// The time, moved into this range.
  @inline(__always)
  static func bounded(_ timestamp: Int64) -> Int64 { min(max(timestamp, -limit), limit) }
}

extension Int64 {
  /// The sum of a capture time and a time-out in nanoseconds; it stops at the maximum, since a time-out may be endless.
  func addingSaturated(_ timeout: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(timeout)
    return overflow ? .max : sum
  }
}

/// A named moment at which a step of a test begins. The step ends at the next mark.
public struct TimeMark: Sendable, Equatable {
  /// The most marks of a run: tests of a day have some thousand steps. Each takes 528 octets of the timeline.
  public static let limit = 10_000
  /// The most octets of a label: a line of text.
  public static let labelLimit = 256

  /// Nanoseconds since the Unix epoch.
  public var time: Int64
  /// The name of the step, as it was given: any octets, at most `labelLimit`.
  public var label: [UInt8]

  /// Makes a mark of a time in nanoseconds since the Unix epoch.
  public init(time: Int64, label: [UInt8]) {
    self.time = time
    self.label = label
  }
}
