import HTTPReassembly
import Tabular

/// Six CSV files in a folder: messages, exchanges, APIs, connections, ledger and anomalies.
///
/// All of them exist with their header row from the start. Rows of messages, exchanges and connections come in any
/// order and stand in the order of their numbers; memory stays within limits (`OrderedRows`).
public final class CSVReport: Report {
  private let grouping: Configuration.Grouping
  private let redaction: Redaction?
  private var tables: CSVTables
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
    self.redaction = redaction
    let folder = try OutputFolder(path)
    func file(_ name: String, _ columns: [TableColumn]) throws(ReportError) -> OutputFile {
      let file = try folder.file(name)
      var row = CSVRow(redaction: nil)
      try row.header(columns.map(\.name), to: file)
      return file
    }
    func table(_ name: String, _ columns: [TableColumn]) throws(ReportError) -> OrderedTable {
      OrderedTable(
        OrderedRows(
          file: try file(name, columns), folder: folder, memoryLimit: memoryLimit, runLimit: runLimit))
    }
    tables = CSVTables(
      row: CSVRow(redaction: redaction), messages: try table(MessageRow.name + ".csv", MessageRow.columns),
      exchanges: try table(ExchangeRow.name + ".csv", ExchangeRow.columns),
      connections: try table(ConnectionRow.name + ".csv", ConnectionRow.columns))
    apis = try file(APIRow.name + ".csv", APIRow.columns(grouping))
    ledger = try file(LedgerRow.name + ".csv", LedgerRow.columns)
    anomalies = try file(AnomalyRow.name + ".csv", AnomalyRow.columns)
  }

  /// Writes a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) { try tables.add(message, texts: texts) } catch { throw noted(error) }
  }

  /// Writes an exchange's row.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) { try tables.add(exchange, texts: texts) } catch { throw noted(error) }
  }

  /// Writes a connection's row.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) { try tables.add(connection) } catch { throw noted(error) }
  }

  /// Writes the totals and completes every file. Rows that come after it are left out.
  ///
  /// - Throws: the first error of the whole report; everything that could be written has been.
  public func finish(_ totals: Totals) throws(ReportError) {
    if !isFinished {
      isFinished = true
      var row = CSVRow(redaction: redaction)
      attempt { () throws(ReportError) in try tables.finishMessages() }
      attempt { () throws(ReportError) in try tables.finishExchanges() }
      attempt { () throws(ReportError) in try tables.finishConnections() }
      attempt { () throws(ReportError) in
        try APIRow.forEach(of: totals, grouping: grouping, &row) { row throws(ReportError) in
          try row.withOctets { octets throws(ReportError) in try apis.append(octets) }
        }
        try apis.close()
      }
      attempt { () throws(ReportError) in
        try LedgerRow.forEach(of: totals.ledger, &row) { row throws(ReportError) in try ledger.append(row.octets) }
        try ledger.close()
      }
      attempt { () throws(ReportError) in
        try AnomalyRow.forEach(of: totals.anomalies, &row) { row throws(ReportError) in
          try row.withOctets { octets throws(ReportError) in try anomalies.append(octets) }
        }
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
