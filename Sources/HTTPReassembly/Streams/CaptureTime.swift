extension Int64 {
  /// The sum of a capture time and a time-out in nanoseconds, which may be endless.
  func addingSaturated(_ timeout: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(timeout)
    return overflow ? .max : sum
  }
}
