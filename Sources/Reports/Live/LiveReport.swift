import HTTPReassembly

/// A report of a run that goes on for long: what is on disk is readable at any moment and up to date at each flush.
public protocol LiveReport: Report {
  /// Brings everything up to date.
  ///
  /// - Parameters:
  ///   - totals: What is known so far.
  ///   - openMessages: Calls its argument with each message that is not final yet.
  /// - Throws: the first error; what could be brought up to date has been.
  mutating func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError)

  /// Starts anew what somebody has moved away (SIGHUP); the rest goes on.
  ///
  /// - Throws: the first error.
  mutating func reopen() throws(ReportError)
}
