import HTTPReassembly
import Tabular

/// `messages.ndjson` in a folder: one JSON object a line for each message, in the order of their numbers.
public final class NDJSONReport: Report {
  /// The file's name.
  static let fileName = "messages.ndjson"

  private var row: JSONRow
  private var messages: OrderedTable
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; a file of that name is replaced.
  ///
  /// - Throws: when the folder or the file cannot be created or opened.
  public convenience init(folder: String, redaction: Redaction? = nil) throws(ReportError) {
    try self.init(folder: folder, redaction: redaction, memoryLimit: OrderedRows.memoryLimit)
  }

  /// As above, with a limit of the memory for rows that wait for their turn.
  init(folder path: String, redaction: Redaction?, memoryLimit: Int) throws(ReportError) {
    let folder = try OutputFolder(path)
    row = JSONRow(MessageRow.columns, redaction: redaction)
    messages = OrderedTable(
      OrderedRows(file: try folder.file(Self.fileName), folder: folder, memoryLimit: memoryLimit))
  }

  /// Writes a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard messages.isOpen else { return }
    row.begin()
    MessageRow.append(message, texts: texts, to: &row)
    row.end()
    try noting { () throws(ReportError) in
      try row.withOctets { octets throws(ReportError) in try messages.add(message.number, octets) }
    }
  }

  /// Exchanges are not in this report.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) {}

  /// Connections are not in this report.
  public func connection(_ connection: Connection, texts: borrowing TextPool) {}

  /// Completes the file; the totals are not in this report.
  ///
  /// - Throws: the first error of the whole report.
  public func finish(_ totals: Totals) throws(ReportError) {
    if let failure { throw failure }
    try noting { () throws(ReportError) in try messages.finish() }
  }

  private func noting(_ body: () throws(ReportError) -> Void) throws(ReportError) {
    do throws(ReportError) { try body() } catch {
      failure = error
      throw error
    }
  }
}
