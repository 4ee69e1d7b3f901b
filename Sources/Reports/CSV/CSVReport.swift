import HTTPReassembly
import Packets
import Tabular

/// CSV files in a folder: messages with their details (`DetailTable`), exchanges, connections, and every table of totals (`TotalTable`).
///
/// All files exist with their header row from the start. Rows other than totals come in any order; at the end they are sorted by
/// number (`NumberedTable`). The totals are replaced whole.
///
/// In a live run, the totals exist from the first flush on, and each file is complete and readable at any moment.
/// `messages.open.csv` has the messages that are not final yet, so that a crash loses no more than the last interval. A clean end
/// removes it. An open message moves to `messages.csv` right before the open file is replaced. Only at that moment it is in both.
public final class CSVReport: Report {
  /// The file with the messages that are not final yet, without its extension.
  static let openMessagesName = "messages.open"
  /// The files, with the one for live runs.
  static let fileNames =
    [
      [MessageRow.name, openMessagesName, ExchangeRow.name, ConnectionRow.name],
      DetailTable.allCases.map(\.rawValue), TotalTable.allCases.map(\.rawValue),
    ].joined().map { $0 + ".csv" }

  private let grouping: Configuration.Grouping
  private let folder: OutputFolder
  /// In memory of its own, because a check for overlapping access is expensive with each row.
  private let tables: OwnMemory<NumberedTables<CSVRow, NumberedTable>>
  private var isFinished = false
  /// The first error, which `finish` throws.
  public private(set) var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; files of the same names are replaced.
  ///
  /// - Parameters:
  ///   - folder: The folder of the files.
  ///   - grouping: The grouping of totals, which decides on the columns of `apis.csv`.
  ///   - redaction: The facts to leave out; nil keeps all.
  ///   - isLive: Whether the run is live, and its rows are read before it ends.
  ///   - allowance: The limits of the rows.
  /// - Throws: When the folder or one of the files cannot be created or opened.
  public convenience init(
    folder: String, grouping: Configuration.Grouping, redaction: Redaction? = nil, isLive: Bool = false,
    allowance: RowAllowance = RowAllowance()
  ) throws(ReportError) {
    try self.init(
      folder: folder, grouping: grouping, redaction: redaction, isLive: isLive, allowance: allowance,
      memoryLimit: OrderedRows.memoryLimit, runLimit: OrderedRows.runLimit)
  }

  /// Opens the report with limits of each table (`OrderedRows`).
  init(
    folder path: String, grouping: Configuration.Grouping, redaction: Redaction?, isLive: Bool = false,
    allowance: RowAllowance = RowAllowance(), memoryLimit: Int, runLimit: Int
  ) throws(ReportError) {
    self.grouping = grouping
    let folder = try OutputFolder(path)
    self.folder = folder
    tables = OwnMemory(
      try NumberedTables(row: CSVRow(redaction: redaction), allowance: allowance) { name, columns throws(ReportError) in
        try NumberedTable(
          name + ".csv", in: folder, header: CSVRow.header(columns.map(\.name)), isLive: isLive,
          memoryLimit: memoryLimit, runLimit: runLimit)
      })
    // In a live run, a ledger without rows would look like one that does not balance.
    if isLive { return }
    for table in TotalTable.allCases {
      let file = try folder.file(table.rawValue + ".csv")
      try file.append(CSVRow.header(table.columns(grouping).map(\.name)))
      try file.close()
    }
  }

  /// Writes a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) { try tables.value.add(message, texts: texts) } catch { throw noted(error) }
  }

  /// Writes an exchange's row.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) { try tables.value.add(exchange, texts: texts) } catch { throw noted(error) }
  }

  /// Writes a connection's row.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) { try tables.value.add(connection, texts: texts) } catch { throw noted(error) }
  }

  /// Writes a row of details.
  public func detail(_ row: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) { try tables.value.add(row) } catch { throw noted(error) }
  }

  /// Brings every file up to date.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    var first = FirstError()
    var open: PreparedFile?
    first.attempt { () throws(ReportError) in open = try prepareOpenMessages(openMessages) }
    tables.value.attemptEach(&first) { table throws(ReportError) in try table.flush() }
    first.attempt { () throws(ReportError) in try open?.commit() }
    write(totals, &first)
    try first.check()
  }

  /// Starts the tables anew, after their files were moved away (SIGHUP).
  public func reopen() throws(ReportError) {
    var first = FirstError()
    tables.value.attemptEach(&first) { table throws(ReportError) in try table.reopen() }
    try first.check()
  }

  /// Sorts the tables and writes the totals. Later rows are left out.
  public func finish(_ totals: Totals) throws(ReportError) {
    if !isFinished {
      isFinished = true
      var first = FirstError(failure)
      tables.value.attemptEach(&first) { table throws(ReportError) in try table.finish() }
      write(totals, &first)
      failure = first.error
      if failure == nil { folder.remove(Self.openMessagesName + ".csv") }
    }
    if let failure { throw failure }
  }

  private func write(_ totals: Totals, _ first: inout FirstError) {
    let (grouping, allowance) = (grouping, tables.value.allowance)
    let leftOut = allowance.totalsLeftOut
    for table in TotalTable.allCases {
      let totals = table == .anomalies ? totals.noting(totalsLeftOut: allowance.totalsLeftOut - leftOut) : totals
      first.attempt { () throws(ReportError) in
        try replace(table, table.columns(grouping), allowance) { row, write throws(ReportError) in
          try table.forEach(of: totals, grouping: grouping, &row, write)
        }
      }
    }
  }

  private func prepareOpenMessages(
    _ openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) -> PreparedFile {
    var last = 0
    let prepared = try folder.prepare(Self.openMessagesName + ".csv") { file throws(ReportError) in
      try file.append(CSVRow.header(MessageRow.columns.map(\.name)))
      var first = FirstError()
      openMessages { message, texts in
        last = max(last, message.number)
        MessageRow.write(message, texts: texts, to: &tables.value.row)
        first.attempt { () throws(ReportError) in
          try tables.value.row.withOctets { octets throws(ReportError) in try file.append(octets) }
        }
      }
      try first.check()
    }
    // From the next `flush` on they are in the file of open messages.
    tables.value.messages.holdBack(upTo: last)
    return prepared
  }

  /// Replaces a file: `body` makes rows, and passes each one to its argument.
  private func replace(
    _ table: TotalTable, _ columns: [TableColumn], _ allowance: RowAllowance,
    _ body: (inout CSVRow, (inout CSVRow) throws(ReportError) -> Void) throws(ReportError) -> Void
  ) throws(ReportError) {
    try folder.replace(table.rawValue + ".csv") { file throws(ReportError) in
      try file.append(CSVRow.header(columns.map(\.name)))
      try body(&tables.value.row) { row throws(ReportError) in
        try row.withOctets { octets throws(ReportError) in
          if allowance.takeTotal(octets.byteCount, isNeeded: table.isNeeded) { try file.append(octets) }
        }
      }
    }
  }

  private func noted(_ error: ReportError) -> ReportError {
    if failure == nil { failure = error }
    return error
  }
}
