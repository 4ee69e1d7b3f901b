import HTTPReassembly
import Tabular

/// `report.html`: one page for people, which needs no other file.
///
/// It is gathered within `PageLimits` during the analysis, and written whole: readers of the file find the old page or the new
/// one. The figures are the same as in the CSV files; those about hosts, fields, contents and time need `Configuration.tables`.
/// From the header sections, names of fields are in the page, never values or content.
public final class HTMLReport: Report {
  /// The file's name.
  static let fileName = "report.html"

  private let folder: OutputFolder
  private let grouping: Configuration.Grouping
  private let redaction: Redaction?
  private let captures: [String]
  private let keyLogs: [String]
  private let choices: RunChoices
  private var figures: PageFigures
  /// Figures of an app, or of a model of one, beside the wire's; each becomes a section of its own.
  public var comparisons: [PageComparison] = []

  /// Prepares a page in `folder`, which is created if need be; an existing page is replaced at the end.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - grouping: The grouping of totals.
  ///   - redaction: The facts to leave out; nil keeps all.
  ///   - captures: The analyzed captures, as the user named them; the page's title has the last part of each name.
  ///   - keyLogs: The key logs that open them; the page's commands have the last part of each name.
  ///   - choices: The user's choices, which those commands repeat.
  /// - Throws: When the folder cannot be created or opened.
  public init(
    folder path: String, grouping: Configuration.Grouping, redaction: Redaction? = nil, captures: [String] = [],
    keyLogs: [String] = [], choices: RunChoices = RunChoices()
  ) throws(ReportError) {
    folder = try OutputFolder(path)
    self.grouping = grouping
    self.redaction = redaction
    self.captures = captures
    self.keyLogs = keyLogs
    self.choices = choices
    figures = PageFigures(grouping: grouping, redaction: redaction)
  }

  /// It has no row for each, and has limits of its own.
  public var takesEveryRow: Bool { true }

  /// Adds a message.
  public func message(_ message: Message, texts: borrowing TextPool) {
    figures.add(message, texts: texts)
  }

  /// Adds an exchange.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) { figures.add(exchange, texts: texts) }

  /// Adds a connection.
  public func connection(_ connection: Connection, texts: borrowing TextPool) {
    figures.add(connection, texts: texts)
  }

  /// Brings the page up to date, in a live run. Rows that are not final yet are in the ledger and the APIs of `totals` only.
  ///
  /// - Throws: When it cannot be written; the old page stays.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    try finish(totals)
  }

  /// No file stays open.
  public func reopen() {}

  /// Writes the page.
  ///
  /// - Throws: When it cannot be written; an old page stays.
  public func finish(_ totals: Totals) throws(ReportError) {
    let data = PageData(
      figures: figures, totals: totals, grouping: grouping, redaction: redaction, captures: captures,
      keyLogs: keyLogs, choices: choices, comparisons: comparisons)
    let page = PageDocument.octets(data.value())
    try folder.replace(Self.fileName) { file throws(ReportError) in try file.append(page) }
  }
}
