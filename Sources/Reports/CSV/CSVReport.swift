import HTTPReassembly

/// Six CSV files in a folder: messages, exchanges, APIs, connections, ledger and anomalies.
///
/// All of them exist with their header row from the start. Rows of messages, exchanges and connections come in any
/// order and stand in the order of their numbers; memory stays within limits (`OrderedRows`).
public final class CSVReport: Report {
  private let grouping: Configuration.Grouping
  private var row: CSVRow
  private var messages: CSVTable
  private var exchanges: CSVTable
  private var connections: CSVTable
  private let apis: OutputFile
  private let ledger: OutputFile
  private let anomalies: OutputFile
  private var isFinished = false
  /// The first error, which `finish` throws.
  public private(set) var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; files of the same names are replaced.
  ///
  /// - Parameters:
  ///   - folder: Where the files go.
  ///   - grouping: What the totals are grouped by: decides on the columns of `apis.csv`.
  ///   - redaction: What is left out; nil: nothing.
  /// - Throws: when the folder or one of the files cannot be created or opened.
  public convenience init(
    folder: String, grouping: Configuration.Grouping, redaction: Redaction? = nil
  ) throws(ReportError) {
    try self.init(
      folder: folder, grouping: grouping, redaction: redaction, memoryLimit: OrderedRows.memoryLimit,
      runLimit: OrderedRows.runLimit)
  }

  /// As above, with limits of each table (`OrderedRows`).
  init(
    folder path: String, grouping: Configuration.Grouping, redaction: Redaction?, memoryLimit: Int, runLimit: Int
  ) throws(ReportError) {
    self.grouping = grouping
    let folder = try OutputFolder(path)
    var row = CSVRow(redaction: redaction)
    func file(_ name: String, _ columns: [String]) throws(ReportError) -> OutputFile {
      let file = try folder.file(name)
      try row.header(columns, to: file)
      return file
    }
    func table(_ name: String, _ columns: [String]) throws(ReportError) -> CSVTable {
      CSVTable(
        OrderedRows(
          file: try file(name, columns), folder: folder, memoryLimit: memoryLimit, runLimit: runLimit))
    }
    messages = try table(MessagesCSV.fileName, MessagesCSV.columns)
    exchanges = try table(ExchangesCSV.fileName, ExchangesCSV.columns)
    connections = try table(ConnectionsCSV.fileName, ConnectionsCSV.columns)
    apis = try file(APIsCSV.fileName, APIsCSV.columns(grouping))
    ledger = try file(LedgerCSV.fileName, LedgerCSV.columns)
    anomalies = try file(AnomaliesCSV.fileName, AnomaliesCSV.columns)
    self.row = row
  }

  /// Writes a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard messages.isOpen else { return }
    row.begin()
    MessagesCSV.append(message, texts: texts, to: &row)
    row.end()
    do throws(ReportError) { try messages.add(message.number, row.octets) } catch { throw noted(error) }
  }

  /// Writes an exchange's row.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    guard exchanges.isOpen else { return }
    row.begin()
    ExchangesCSV.append(exchange, texts: texts, to: &row)
    row.end()
    do throws(ReportError) { try exchanges.add(exchange.number, row.octets) } catch { throw noted(error) }
  }

  /// Writes a connection's row.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    guard connections.isOpen else { return }
    row.begin()
    ConnectionsCSV.append(connection, to: &row)
    row.end()
    do throws(ReportError) { try connections.add(connection.number, row.octets) } catch { throw noted(error) }
  }

  /// Writes the totals and completes every file. Rows that come after it are left out.
  ///
  /// - Throws: the first error of the whole report; everything that could be written has been.
  public func finish(_ totals: Totals) throws(ReportError) {
    if !isFinished {
      isFinished = true
      attempt { () throws(ReportError) in try messages.finish() }
      attempt { () throws(ReportError) in try exchanges.finish() }
      attempt { () throws(ReportError) in try connections.finish() }
      attempt { () throws(ReportError) in
        try APIsCSV.append(totals, grouping: grouping, to: apis, &row)
        try apis.close()
      }
      attempt { () throws(ReportError) in
        try LedgerCSV.append(totals.ledger, to: ledger, &row)
        try ledger.close()
      }
      attempt { () throws(ReportError) in
        try AnomaliesCSV.append(totals.anomalies, to: anomalies, &row)
        try anomalies.close()
      }
    }
    if let failure { throw failure }
  }

  private func attempt(_ body: () throws(ReportError) -> Void) {
    do throws(ReportError) { try body() } catch { _ = noted(error) }
  }

  private func noted(_ error: ReportError) -> ReportError {
    if failure == nil { failure = error }
    return error
  }
}
