import HTTPReassembly

/// Takes everything and writes nothing, for a run that only wants the summary.
public struct NullReport: ReportSink {
  /// Makes one.
  public init() {}

  /// Does nothing.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(Never) {}
  /// Does nothing.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Never) {}
  /// Does nothing.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Never) {}
}
