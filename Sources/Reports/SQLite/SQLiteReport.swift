import GRDB
import HTTPReassembly
import Tabular

/// An SQLite database in a folder: messages with their details (`DetailTable`), exchanges, connections, and every table of totals
/// (`TotalTable`).
///
/// Rows are inserted as they become final, some thousands in a transaction, in WAL mode. So the database is always readable and
/// has whole transactions, even if the run crashes. A live run has one transaction for each `flush`. It has the rows that became
/// final since the last one, and the current totals and open messages.
public final class SQLiteReport: Report {
  /// The file's name.
  public static let fileName = "report.sqlite"
  /// Waiting rows that are inserted at once: enough to hide a transaction's cost, and few enough to be held.
  static let batch = 2000
  /// Octets of their texts after which they are inserted, however few they are. Usual rows have some hundred, hostile ones up to
  /// twice `Configuration.lineLimit`.
  static let textLimit = 2 << 20

  private let folder: OutputFolder
  private let context: ReportContext
  private let isLive: Bool
  private var file: SQLiteFile
  private var row: SQLiteRow
  private var messages = SQLiteTable(MessageRow.name, MessageRow.columns.withEndpointParts)
  private var exchanges = SQLiteTable(ExchangeRow.name, ExchangeRow.columns)
  private var connections = SQLiteTable(ConnectionRow.name, ConnectionRow.columns.withEndpointParts)
  private var grpc = SQLiteTable(DetailTable.grpc.rawValue, DetailTable.grpc.columns)
  private var webSockets = SQLiteTable(DetailTable.websockets.rawValue, DetailTable.websockets.columns)
  private var isFinished = false
  /// The first error; no writes follow it.
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; a file of that name is replaced.
  ///
  /// - Parameters:
  ///   - path: The folder of the file.
  ///   - context: The grouping of totals, the redaction, and the source of the rows.
  ///   - isLive: Whether the run is live, and its rows are read before it ends.
  /// - Throws: When the folder or the file cannot be created or opened.
  public init(folder path: String, _ context: ReportContext, isLive: Bool = false) throws(ReportError) {
    self.context = context
    self.isLive = isLive
    folder = try OutputFolder(path)
    row = SQLiteRow(redaction: context.redaction)
    file = try Self.open(in: folder, context, isLive: isLive)
  }

  private static func open(
    in folder: OutputFolder, _ context: ReportContext, isLive: Bool
  ) throws(ReportError) -> SQLiteFile {
    let file = try SQLiteFile(fileName, in: folder)
    try file.write { database in
      try SQLiteSchema.create(in: database)
      try SQLiteMeta.write(context, in: database)
      if isLive { try SQLiteSchema.createIndexes(in: database) }
    }
    return file
  }

  /// Adds a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard isOpen else { return }
    MessageRow.write(message, texts: texts, to: &row)
    guard context.allowance.take(row.storedLength) else { return }
    messages.add(row)
    if let frames = texts.webSocket(message.webSocket) {
      WebSocketRow.write(frames, of: message, texts: texts, to: &row)
      if context.allowance.take(row.storedLength) { webSockets.add(row) }
    }
    try writeIfDue()
  }

  /// Adds an exchange's row.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    guard isOpen else { return }
    ExchangeRow.write(exchange, texts: texts, to: &row)
    guard context.allowance.take(row.storedLength) else { return }
    exchanges.add(row)
    try writeIfDue()
  }

  /// Adds a connection's row.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    guard isOpen else { return }
    ConnectionRow.write(connection, texts: texts, to: &row)
    guard context.allowance.take(row.storedLength) else { return }
    connections.add(row)
    try writeIfDue()
  }

  /// Adds a row of details.
  public func detail(_ detail: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    guard isOpen else { return }
    switch detail {
    case .grpc(let message):
      GRPCMessageRow.write(message, to: &row)
      guard context.allowance.take(row.storedLength) else { return }
      grpc.add(row)
    }
    try writeIfDue()
  }

  /// Brings the database up to date, in one transaction.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    guard isOpen else { return }
    var open = SQLiteTable(SQLiteSchema.openMessages, MessageRow.columns.withEndpointParts)
    openMessages { message, texts in
      MessageRow.write(message, texts: texts, to: &row)
      open.add(row)
    }
    try write([open], totals)
  }

  /// Starts a new database if the file was moved away (SIGHUP); otherwise continues in it. Rows that are not final yet go to the
  /// new one, so each database may refer to rows of the other.
  public func reopen() throws(ReportError) {
    guard isOpen, !file.isInPlace else { return }
    // Open messages are in the new one after its first update.
    try write([SQLiteTable(SQLiteSchema.openMessages, MessageRow.columns.withEndpointParts)])
    try noting { () throws(ReportError) in
      try file.close()
      file = try Self.open(in: folder, context, isLive: isLive)
    }
  }

  /// Writes the totals and makes the database one file. Later rows are left out.
  ///
  /// - Throws: The first error of the whole report.
  public func finish(_ totals: Totals) throws(ReportError) {
    if isOpen {
      do throws(ReportError) {
        let none = SQLiteTable(SQLiteSchema.openMessages, MessageRow.columns.withEndpointParts)
        try write([none], totals, isLast: true)
      } catch {
        // The file is closed even then.
      }
    }
    if !isFinished {
      isFinished = true
      do throws(ReportError) { try file.close() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  // MARK: Writing

  private var isOpen: Bool { failure == nil && !isFinished }

  private func writeIfDue() throws(ReportError) {
    guard isFull([messages, exchanges, connections, grpc, webSockets]) else { return }
    guard isLive else { return try write([]) }
    try noting { () throws(ReportError) in
      try file.append { try insert(into: $0) }
      clear()
    }
  }

  private func isFull(_ tables: [SQLiteTable]) -> Bool {
    tables.reduce(0) { $0 + $1.count } >= Self.batch || tables.reduce(0) { $0 + $1.textLength } >= Self.textLimit
  }

  private func insert(into database: Database) throws {
    for table in [messages, exchanges, connections, grpc, webSockets] { try table.insert(into: database) }
  }

  private func clear() {
    messages.clear()
    exchanges.clear()
    connections.clear()
    grpc.clear()
    webSockets.clear()
  }

  /// Inserts the waiting rows, and replaces the content of some tables, including the totals'.
  private func write(
    _ snapshots: [SQLiteTable], _ totals: Totals? = nil, isLast: Bool = false
  ) throws(ReportError) {
    try noting { () throws(ReportError) in
      try file.write { database in
        try insert(into: database)
        for table in snapshots { try table.replace(in: database) }
        if let totals { try replace(totals, in: database) }
        if isLast {
          try SQLiteSchema.createIndexes(in: database)
          if totals?.isStopped == false { try SQLiteMeta.complete(in: database) }
        }
      }
      clear()
    }
  }

  private func replace(_ totals: Totals, in database: Database) throws {
    let allowance = context.allowance
    let leftOut = allowance.totalsLeftOut
    for table in TotalTable.allCases {
      let totals = table == .anomalies ? totals.noting(totalsLeftOut: allowance.totalsLeftOut - leftOut) : totals
      var rows = SQLiteTable(table.rawValue, table.columns(context.grouping))
      try rows.replace(in: database)
      // There can be very many, so not all of them wait at once.
      var fault: (any Error)?
      try table.forEach(of: totals, grouping: context.grouping, &row) { row throws(ReportError) in
        guard allowance.takeTotal(row.storedLength, isNeeded: table.isNeeded) else { return }
        rows.add(row)
        guard isFull([rows]) else { return }
        do { if fault == nil { try rows.insert(into: database) } } catch { fault = error }
        rows.clear()
      }
      if let fault { throw fault }
      try rows.insert(into: database)
    }
    try SQLiteMeta.write(span: totals.span, in: database)
  }

  private func noting(_ body: () throws(ReportError) -> Void) throws(ReportError) {
    do throws(ReportError) { try body() } catch {
      failure = failure ?? error
      throw error
    }
  }
}
