/// Capture times as an analysis takes them.
enum PacketTime {
  /// Times are at most 146 years from the epoch, which is in 2116, so that no two of them are further apart than their difference can
  /// say. What lies beyond is a damaged or hostile capture. In nanoseconds.
  static var limit: Int64 { (1 << 62) - 1 }

  /// A time within that.
  @inline(__always)
  static func bounded(_ timestamp: Int64) -> Int64 { min(max(timestamp, -limit), limit) }
}

extension Int64 {
  /// The sum of a capture time and a time-out in nanoseconds, which may be endless.
  func addingSaturated(_ timeout: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(timeout)
    return overflow ? .max : sum
  }
}
