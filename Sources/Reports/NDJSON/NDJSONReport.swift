import HTTPReassembly
import Tabular

/// `messages.ndjson` in a folder: one JSON object a line for each message, in the order of their numbers. Each table that refines
/// others has a file of that kind, too (`DetailTable`, `TotalTable.refinements`).
///
/// In a live run, rows are appended as they become final, and sorted at a clean end (`NumberedTable`). `messages.open.ndjson` has
/// the messages that are not final yet; a clean end removes it.
public final class NDJSONReport: Report {
  /// The file's name.
  static let fileName = "messages.ndjson"
  /// The files, with the one for live runs.
  static let fileNames =
    [fileName, openMessagesName]
    + (DetailTable.allCases.map(\.rawValue) + TotalTable.refinements.map(\.rawValue)).map { $0 + ".ndjson" }
  /// The file with the messages that are not final yet.
  static let openMessagesName = "messages.open.ndjson"

  /// A table, and its row in memory.
  private struct Table: ~Copyable {
    var row: JSONRow
    var rows: NumberedTable

    /// Adds the row that was written last.
    mutating func store(_ number: Int, _ allowance: RowAllowance) throws(ReportError) {
      guard rows.isOpen else { return }
      try row.withOctets { octets throws(ReportError) in
        if allowance.take(octets.byteCount) { try rows.add(number, octets) }
      }
    }
  }

  private let folder: OutputFolder
  private var messages: Table
  private var grpc: Table
  private var webSockets: Table
  private let grouping: Configuration.Grouping
  private let redaction: Redaction?
  private let allowance: RowAllowance
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; a file of that name is replaced.
  ///
  /// - Parameters:
  ///   - folder: The folder of the file.
  ///   - grouping: The grouping of totals.
  ///   - redaction: The facts to leave out; nil keeps all.
  ///   - isLive: Whether the run is live, and its rows are read before it ends.
  ///   - allowance: The limits of the rows.
  /// - Throws: When the folder or the file cannot be created or opened.
  public convenience init(
    folder: String, grouping: Configuration.Grouping = Configuration.Grouping(), redaction: Redaction? = nil,
    isLive: Bool = false, allowance: RowAllowance = RowAllowance()
  ) throws(ReportError) {
    try self.init(
      folder: folder, grouping: grouping, redaction: redaction, isLive: isLive, allowance: allowance,
      memoryLimit: OrderedRows.memoryLimit)
  }

  /// Opens the report with a limit of the memory for rows that wait for their turn.
  init(
    folder path: String, grouping: Configuration.Grouping = Configuration.Grouping(), redaction: Redaction?,
    isLive: Bool = false, allowance: RowAllowance = RowAllowance(), memoryLimit: Int
  ) throws(ReportError) {
    self.allowance = allowance
    self.grouping = grouping
    self.redaction = redaction
    let folder = try OutputFolder(path)
    self.folder = folder
    func table(_ name: String, _ columns: [TableColumn]) throws(ReportError) -> Table {
      let row = JSONRow(columns, redaction: redaction)
      let rows = try NumberedTable(
        name + ".ndjson", in: folder, prefix: row.prefix, isLive: isLive, memoryLimit: memoryLimit)
      return Table(row: row, rows: rows)
    }
    messages = try table(MessageRow.name, MessageRow.columns.withEndpointParts)
    grpc = try table(DetailTable.grpc.rawValue, DetailTable.grpc.columns)
    webSockets = try table(DetailTable.websockets.rawValue, DetailTable.websockets.columns)
  }

  /// Writes a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard messages.rows.isOpen else { return }
    MessageRow.write(message, texts: texts, to: &messages.row)
    do throws(ReportError) {
      try messages.store(message.number, allowance)
      guard let frames = texts.webSocket(message.webSocket) else { return }
      WebSocketRow.write(frames, of: message, texts: texts, to: &webSockets.row)
      try webSockets.store(message.number, allowance)
    } catch {
      failure = failure ?? error
      throw error
    }
  }

  /// Writes a row of details.
  public func detail(_ detail: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) {
      switch detail {
      case .grpc(let message):
        GRPCMessageRow.write(message, to: &grpc.row)
        try grpc.store(message.number, allowance)
      }
    } catch {
      failure = failure ?? error
      throw error
    }
  }

  /// Exchanges are not in this report.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) {}

  /// Connections are not in this report.
  public func connection(_ connection: Connection, texts: borrowing TextPool) {}

  /// Brings every file up to date.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    var first = FirstError()
    var last = 0
    var open: PreparedFile?
    first.attempt { () throws(ReportError) in
      open = try folder.prepare(Self.openMessagesName) { file throws(ReportError) in
        var first = FirstError()
        openMessages { message, texts in
          last = max(last, message.number)
          MessageRow.write(message, texts: texts, to: &messages.row)
          first.attempt { () throws(ReportError) in
            try messages.row.withOctets { octets throws(ReportError) in try file.append(octets) }
          }
        }
        try first.check()
      }
      messages.rows.holdBack(upTo: last)
    }
    first.attempt { () throws(ReportError) in try messages.rows.flush() }
    first.attempt { () throws(ReportError) in try grpc.rows.flush() }
    first.attempt { () throws(ReportError) in try webSockets.rows.flush() }
    first.attempt { () throws(ReportError) in try open?.commit() }
    write(totals, &first)
    try first.check()
  }

  /// Starts the tables anew, after their files were moved away (SIGHUP).
  public func reopen() throws(ReportError) {
    var first = FirstError()
    first.attempt { () throws(ReportError) in try messages.rows.reopen() }
    first.attempt { () throws(ReportError) in try grpc.rows.reopen() }
    first.attempt { () throws(ReportError) in try webSockets.rows.reopen() }
    try first.check()
  }

  /// Sorts the table, and writes the others.
  public func finish(_ totals: Totals) throws(ReportError) {
    var first = FirstError(failure)
    first.attempt { () throws(ReportError) in try messages.rows.finish() }
    first.attempt { () throws(ReportError) in try grpc.rows.finish() }
    first.attempt { () throws(ReportError) in try webSockets.rows.finish() }
    write(totals, &first)
    failure = first.error
    if let failure { throw failure }
    folder.remove(Self.openMessagesName)
  }

  private func write(_ totals: Totals, _ first: inout FirstError) {
    for table in TotalTable.refinements {
      first.attempt { () throws(ReportError) in
        try folder.replace(table.rawValue + ".ndjson") { file throws(ReportError) in
          var row = JSONRow(table.columns(grouping), redaction: redaction)
          try table.forEach(of: totals, grouping: grouping, &row) { row throws(ReportError) in
            try row.withOctets { octets throws(ReportError) in
              if allowance.takeTotal(octets.byteCount, isNeeded: table.isNeeded) { try file.append(octets) }
            }
          }
        }
      }
    }
  }
}
