import HTTPReassembly
import Tabular

/// `messages.ndjson` of a run that goes on for long: rows are appended as they become final, and put in order at a
/// clean end. `messages.open.ndjson` has the messages that are not final yet; a clean end removes it.
public final class LiveNDJSONReport: LiveReport {
  /// The file with the messages that are not final yet.
  static let openMessagesName = "messages.open.ndjson"

  private let folder: OutputFolder
  private var row: JSONRow
  private var messages: RowJournal

  /// Opens the report in `folder`, which is created if need be; files of the same names are replaced.
  ///
  /// - Throws: when the folder or the file cannot be created or opened.
  public init(folder path: String, redaction: Redaction? = nil) throws(ReportError) {
    folder = try OutputFolder(path)
    row = JSONRow(MessageRow.columns, redaction: redaction)
    messages = try RowJournal(NDJSONReport.fileName, in: folder, prefix: row.prefix)
  }

  /// Appends a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    write(message, texts)
    try row.withOctets { octets throws(ReportError) in try messages.append(octets) }
  }

  /// Exchanges are not in this report.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) {}

  /// Connections are not in this report.
  public func connection(_ connection: Connection, texts: borrowing TextPool) {}

  /// Brings both files up to date.
  ///
  /// - Throws: the first error; the other file has been brought up to date.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    var failure: ReportError?
    do throws(ReportError) { try messages.flush() } catch { failure = error }
    try folder.replace(Self.openMessagesName) { file throws(ReportError) in
      openMessages { message, texts in
        write(message, texts)
        do throws(ReportError) { try file.append(row.octets) } catch { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
  }

  /// Starts the table anew, after somebody has moved its file away (SIGHUP).
  public func reopen() throws(ReportError) { try messages.reopen() }

  /// Puts the table in order; the totals are not in this report.
  public func finish(_ totals: Totals) throws(ReportError) {
    try messages.finish()
    folder.remove(Self.openMessagesName)
  }

  private func write(_ message: Message, _ texts: borrowing TextPool) {
    row.begin()
    MessageRow.append(message, texts: texts, to: &row)
    row.end()
  }
}
