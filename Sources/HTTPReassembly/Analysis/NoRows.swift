/// Takes no rows: all of them are written down.
struct NoRows: ReportSink {
  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Never) {}
  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Never) {}
  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Never) {}
}
