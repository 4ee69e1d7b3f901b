import HTTPReassembly

/// The six CSV files of a run that goes on for long, each complete and readable at any moment.
///
/// Rows of messages, exchanges and connections are appended as they become final, and put in order at a clean end.
/// Totals are snapshots, replaced whole. `messages.open.csv` has the messages that are not final yet, so that after
/// a crash nothing but the last interval is lost; a clean end removes it.
public final class LiveCSVReport: Report {
  /// The file with the messages that are not final yet.
  static let openMessagesName = "messages.open.csv"

  private let grouping: Configuration.Grouping
  private let folder: OutputFolder
  private var row: CSVRow
  private var messages: CSVJournal
  private var exchanges: CSVJournal
  private var connections: CSVJournal
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; files of the same names are replaced.
  ///
  /// - Throws: when the folder or one of the files cannot be created or opened.
  public init(
    folder path: String, grouping: Configuration.Grouping, redaction: Redaction? = nil
  ) throws(ReportError) {
    self.grouping = grouping
    folder = try OutputFolder(path)
    var row = CSVRow(redaction: redaction)
    messages = try CSVJournal(MessagesCSV.fileName, MessagesCSV.columns, in: folder, &row)
    exchanges = try CSVJournal(ExchangesCSV.fileName, ExchangesCSV.columns, in: folder, &row)
    connections = try CSVJournal(ConnectionsCSV.fileName, ConnectionsCSV.columns, in: folder, &row)
    self.row = row
  }

  /// Appends a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    row.begin()
    MessagesCSV.append(message, texts: texts, to: &row)
    row.end()
    try messages.append(row.octets)
  }

  /// Appends an exchange's row.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    row.begin()
    ExchangesCSV.append(exchange, texts: texts, to: &row)
    row.end()
    try exchanges.append(row.octets)
  }

  /// Appends a connection's row.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    row.begin()
    ConnectionsCSV.append(connection, to: &row)
    row.end()
    try connections.append(row.octets)
  }

  /// Brings every file up to date.
  ///
  /// - Parameters:
  ///   - totals: What is known so far.
  ///   - openMessages: Calls its argument with each message that is not final yet.
  /// - Throws: the first error; the other files have been brought up to date.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    failure = nil
    attempt { () throws(ReportError) in try messages.flush() }
    attempt { () throws(ReportError) in try exchanges.flush() }
    attempt { () throws(ReportError) in try connections.flush() }
    attempt { () throws(ReportError) in try writeOpenMessages(openMessages) }
    attempt { () throws(ReportError) in try writeTotals(totals) }
    if let failure { throw failure }
  }

  /// Starts the tables anew, after somebody has moved their files away (SIGHUP).
  ///
  /// - Throws: the first error.
  public func reopen() throws(ReportError) {
    try messages.reopen(&row)
    try exchanges.reopen(&row)
    try connections.reopen(&row)
  }

  /// Puts the tables in order and writes the totals.
  ///
  /// - Throws: the first error; everything that could be written has been.
  public func finish(_ totals: Totals) throws(ReportError) {
    failure = nil
    attempt { () throws(ReportError) in try messages.finish(&row) }
    attempt { () throws(ReportError) in try exchanges.finish(&row) }
    attempt { () throws(ReportError) in try connections.finish(&row) }
    attempt { () throws(ReportError) in try writeTotals(totals) }
    if let failure { throw failure }
    folder.remove(Self.openMessagesName)
  }

  private func writeTotals(_ totals: Totals) throws(ReportError) {
    try folder.replace(APIsCSV.fileName) { file throws(ReportError) in
      try row.header(APIsCSV.columns(grouping), to: file)
      try APIsCSV.append(totals, grouping: grouping, to: file, &row)
    }
    try folder.replace(LedgerCSV.fileName) { file throws(ReportError) in
      try row.header(LedgerCSV.columns, to: file)
      try LedgerCSV.append(totals.ledger, to: file, &row)
    }
    try folder.replace(AnomaliesCSV.fileName) { file throws(ReportError) in
      try row.header(AnomaliesCSV.columns, to: file)
      try AnomaliesCSV.append(totals.anomalies, to: file, &row)
    }
  }

  private func writeOpenMessages(
    _ openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    try folder.replace(Self.openMessagesName) { file throws(ReportError) in
      try row.header(MessagesCSV.columns, to: file)
      var failure: ReportError?
      openMessages { message, texts in
        row.begin()
        MessagesCSV.append(message, texts: texts, to: &row)
        row.end()
        do throws(ReportError) { try file.append(row.octets) } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
    }
  }

  private func attempt(_ body: () throws(ReportError) -> Void) {
    do throws(ReportError) { try body() } catch { failure = failure ?? error }
  }
}
