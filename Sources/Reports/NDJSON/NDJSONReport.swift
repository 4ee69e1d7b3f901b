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

  private let folder: OutputFolder
  private var row: JSONRow
  private var messages: NumberedTable
  private var grpcRow: JSONRow
  private var grpc: NumberedTable
  private var webSocketRow: JSONRow
  private var webSockets: NumberedTable
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
    folder = try OutputFolder(path)
    row = JSONRow(MessageRow.columns.withEndpointParts, redaction: redaction)
    messages = try NumberedTable(
      Self.fileName, in: folder, prefix: row.prefix, isLive: isLive, memoryLimit: memoryLimit)
    grpcRow = JSONRow(DetailTable.grpc.columns, redaction: redaction)
    grpc = try NumberedTable(
      DetailTable.grpc.rawValue + ".ndjson", in: folder, prefix: grpcRow.prefix, isLive: isLive,
      memoryLimit: memoryLimit)
    webSocketRow = JSONRow(DetailTable.websockets.columns, redaction: redaction)
    webSockets = try NumberedTable(
      DetailTable.websockets.rawValue + ".ndjson", in: folder, prefix: webSocketRow.prefix, isLive: isLive,
      memoryLimit: memoryLimit)
  }

  /// Writes a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard messages.isOpen else { return }
    MessageRow.write(message, texts: texts, to: &row)
    do throws(ReportError) {
      try row.withOctets { octets throws(ReportError) in
        if allowance.take(octets.byteCount) { try messages.add(message.number, octets) }
      }
      guard let frames = texts.webSocket(message.webSocket) else { return }
      WebSocketRow.write(frames, of: message, texts: texts, to: &webSocketRow)
      try webSocketRow.withOctets { octets throws(ReportError) in
        if allowance.take(octets.byteCount) { try webSockets.add(message.number, octets) }
      }
    } catch {
      failure = failure ?? error
      throw error
    }
  }

  /// Writes a row of details.
  public func detail(_ detail: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    do throws(ReportError) {
      switch detail {
      case .grpc: try add(detail, texts, to: &grpc, &grpcRow)
      }
    } catch {
      failure = failure ?? error
      throw error
    }
  }

  private func add(
    _ detail: DetailRow, _ texts: borrowing TextPool, to table: inout NumberedTable, _ row: inout JSONRow
  ) throws(ReportError) {
    guard table.isOpen else { return }
    detail.write(texts, to: &row)
    try row.withOctets { octets throws(ReportError) in
      if allowance.take(octets.byteCount) { try table.add(detail.number, octets) }
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
          MessageRow.write(message, texts: texts, to: &row)
          first.attempt { () throws(ReportError) in
            try row.withOctets { octets throws(ReportError) in try file.append(octets) }
          }
        }
        try first.check()
      }
      messages.holdBack(upTo: last)
    }
    first.attempt { () throws(ReportError) in try messages.flush() }
    first.attempt { () throws(ReportError) in try grpc.flush() }
    first.attempt { () throws(ReportError) in try webSockets.flush() }
    first.attempt { () throws(ReportError) in try open?.commit() }
    write(totals, &first)
    try first.check()
  }

  /// Starts the tables anew, after their files were moved away (SIGHUP).
  public func reopen() throws(ReportError) {
    var first = FirstError()
    first.attempt { () throws(ReportError) in try messages.reopen() }
    first.attempt { () throws(ReportError) in try grpc.reopen() }
    first.attempt { () throws(ReportError) in try webSockets.reopen() }
    try first.check()
  }

  /// Sorts the table, and writes the others.
  public func finish(_ totals: Totals) throws(ReportError) {
    var first = FirstError(failure)
    first.attempt { () throws(ReportError) in try messages.finish() }
    first.attempt { () throws(ReportError) in try grpc.finish() }
    first.attempt { () throws(ReportError) in try webSockets.finish() }
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
