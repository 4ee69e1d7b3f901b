import HTTPReassembly
import Tabular

/// One JSON object a line for each message on standard output, as they become final.
///
/// Each row is written at once, so that a reader of a pipe does not wait until a buffer is full. Only rows for a regular file are
/// gathered.
public final class NDJSONStream: Report {
  private var row: JSONRow
  private let file: OutputFile
  private let isGathered: Bool
  private var failure: ReportError?

  /// Writes to standard output.
  public convenience init(redaction: Redaction? = nil) {
    self.init(OutputFile(.standard(1), path: "standard output", isOwn: false), redaction: redaction)
  }

  init(_ file: OutputFile, redaction: Redaction?) {
    self.file = file
    isGathered = file.descriptor.isRegularFile
    row = JSONRow(MessageRow.columns.withEndpointParts, redaction: redaction)
  }

  /// Writes a message's row; nothing after an error.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard failure == nil else { return }
    MessageRow.write(message, texts: texts, to: &row)
    try noting { () throws(ReportError) in
      try row.withOctets { octets throws(ReportError) in try file.append(octets) }
      if !isGathered { try file.flush() }
    }
  }

  /// Exchanges are not in this report.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) {}

  /// Connections are not in this report.
  public func connection(_ connection: Connection, texts: borrowing TextPool) {}

  /// Writes the gathered rows. A row cannot be taken back, so messages that are not final yet are left out.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    guard failure == nil else { return }
    try noting { () throws(ReportError) in try file.flush() }
  }

  /// Standard output cannot be moved away.
  public func reopen() {}

  /// Writes the gathered rows; the totals are not in this report.
  ///
  /// - Throws: The first error of the whole report.
  public func finish(_ totals: Totals) throws(ReportError) {
    if let failure { throw failure }
    try noting { () throws(ReportError) in try file.flush() }
  }

  private func noting(_ body: () throws(ReportError) -> Void) throws(ReportError) {
    do throws(ReportError) { try body() } catch {
      failure = error
      throw error
    }
  }
}
