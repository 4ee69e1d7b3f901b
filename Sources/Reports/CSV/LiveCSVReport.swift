import HTTPReassembly
import Tabular

/// The six CSV files of a run that goes on for long, each complete and readable at any moment.
///
/// Rows of messages, exchanges and connections are appended as they become final, and put in order at a clean end.
/// Totals are snapshots, replaced whole. `messages.open.csv` has the messages that are not final yet, so that after
/// a crash nothing but the last interval is lost; a clean end removes it.
public final class LiveCSVReport: LiveReport {
  /// The file with the messages that are not final yet, without its extension.
  static let openMessagesName = "messages.open"

  private let grouping: Configuration.Grouping
  private let folder: OutputFolder
  private var row: CSVRow
  private var messages: RowJournal
  private var exchanges: RowJournal
  private var connections: RowJournal
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; files of the same names are replaced.
  ///
  /// - Throws: when the folder or one of the files cannot be created or opened.
  public init(
    folder path: String, grouping: Configuration.Grouping, redaction: Redaction? = nil
  ) throws(ReportError) {
    self.grouping = grouping
    let folder = try OutputFolder(path)
    self.folder = folder
    func journal(_ name: String, _ columns: [TableColumn]) throws(ReportError) -> RowJournal {
      var header = CSVRow(redaction: nil)
      header.header(columns.map(\.name))
      return try RowJournal(name + ".csv", in: folder, header: header.octets)
    }
    messages = try journal(MessageRow.name, MessageRow.columns)
    exchanges = try journal(ExchangeRow.name, ExchangeRow.columns)
    connections = try journal(ConnectionRow.name, ConnectionRow.columns)
    row = CSVRow(redaction: redaction)
  }

  /// Appends a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    row.begin()
    MessageRow.append(message, texts: texts, to: &row)
    row.end()
    try row.withOctets { octets throws(ReportError) in try messages.append(octets) }
  }

  /// Appends an exchange's row.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    row.begin()
    ExchangeRow.append(exchange, texts: texts, to: &row)
    row.end()
    try row.withOctets { octets throws(ReportError) in try exchanges.append(octets) }
  }

  /// Appends a connection's row.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    row.begin()
    ConnectionRow.append(connection, to: &row)
    row.end()
    try row.withOctets { octets throws(ReportError) in try connections.append(octets) }
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
    try messages.reopen()
    try exchanges.reopen()
    try connections.reopen()
  }

  /// Puts the tables in order and writes the totals.
  ///
  /// - Throws: the first error; everything that could be written has been.
  public func finish(_ totals: Totals) throws(ReportError) {
    failure = nil
    attempt { () throws(ReportError) in try messages.finish() }
    attempt { () throws(ReportError) in try exchanges.finish() }
    attempt { () throws(ReportError) in try connections.finish() }
    attempt { () throws(ReportError) in try writeTotals(totals) }
    if let failure { throw failure }
    folder.remove(Self.openMessagesName + ".csv")
  }

  private func writeTotals(_ totals: Totals) throws(ReportError) {
    try replace(APIRow.name, APIRow.columns(grouping)) { file throws(ReportError) in
      try APIRow.forEach(of: totals, grouping: grouping, &row) { row throws(ReportError) in try file.append(row.octets)
      }
    }
    try replace(LedgerRow.name, LedgerRow.columns) { file throws(ReportError) in
      try LedgerRow.forEach(of: totals.ledger, &row) { row throws(ReportError) in try file.append(row.octets) }
    }
    try replace(AnomalyRow.name, AnomalyRow.columns) { file throws(ReportError) in
      try AnomalyRow.forEach(of: totals.anomalies, &row) { row throws(ReportError) in try file.append(row.octets) }
    }
  }

  private func replace(
    _ name: String, _ columns: [TableColumn], _ write: (OutputFile) throws(ReportError) -> Void
  ) throws(ReportError) {
    try folder.replace(name + ".csv") { file throws(ReportError) in
      try row.header(columns.map(\.name), to: file)
      try write(file)
    }
  }

  private func writeOpenMessages(
    _ openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    try replace(Self.openMessagesName, MessageRow.columns) { file throws(ReportError) in
      var failure: ReportError?
      openMessages { message, texts in
        row.begin()
        MessageRow.append(message, texts: texts, to: &row)
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
