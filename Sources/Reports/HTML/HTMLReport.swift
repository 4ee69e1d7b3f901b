import HTTPReassembly
import Tabular

/// `report.html`: one page to look at, which needs nothing but itself.
///
/// It is gathered within `PageLimits` while the analysis runs, and written whole: whoever opens the file finds the
/// old page or the new one. The figures are those of the CSV files; those about hosts, fields, contents and time need
/// `Configuration.tables`. Of what messages say, names of fields are in the page, never values or content.
public final class HTMLReport: Report {
  /// The file's name.
  static let fileName = "report.html"

  private let folder: OutputFolder
  private let grouping: Configuration.Grouping
  private let redaction: Redaction?
  private let captures: [String]
  private var figures: PageFigures
  /// What an app, or a model of one, says beside what the wire says; each becomes a section of its own.
  public var comparisons: [PageComparison] = []

  /// Makes ready for a page in `folder`, which is created if need be; a page that is there is replaced at the end.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - grouping: What totals are grouped by.
  ///   - redaction: What is left out; nil: nothing.
  ///   - captures: What is analysed, as the user named it; the page's title has the last part of each name.
  /// - Throws: when the folder cannot be created or opened.
  public init(
    folder path: String, grouping: Configuration.Grouping, redaction: Redaction? = nil, captures: [String] = []
  ) throws(ReportError) {
    folder = try OutputFolder(path)
    self.grouping = grouping
    self.redaction = redaction
    self.captures = captures
    figures = PageFigures(grouping: grouping, redaction: redaction)
  }

  /// It has no row for each, and is bounded by itself.
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

  /// Brings the page up to date: for a run that goes on. What is not final yet is in the ledger and the APIs of
  /// `totals` only.
  ///
  /// - Throws: when it cannot be written; the old page stays.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    try finish(totals)
  }

  /// There is no file that stays open.
  public func reopen() {}

  /// Writes the page.
  ///
  /// - Throws: when it cannot be written; an old page stays.
  public func finish(_ totals: Totals) throws(ReportError) {
    let data = PageData(
      figures: figures, totals: totals, grouping: grouping, redaction: redaction, captures: captures,
      comparisons: comparisons)
    let page = PageDocument.octets(data.value())
    try folder.replace(Self.fileName) { file throws(ReportError) in try file.append(page) }
  }
}
