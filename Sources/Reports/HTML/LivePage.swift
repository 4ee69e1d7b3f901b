import HTTPReassembly
import Tabular

/// The page of a run that goes on, for who serves it. What it shows is gathered as for `report.html`, within `PageLimits`, and made when
/// somebody looks at it: the figures are those that the file would have at that moment.
public struct LivePage {
  /// What stands before the data in the document, and what stands behind it.
  public static var document: (head: [UInt8], tail: [UInt8]) { PageDocument.live }

  private let grouping: Configuration.Grouping
  private let redaction: Redaction?
  private let captures: [String]
  private var figures: PageFigures

  /// Nothing is known yet.
  ///
  /// - Parameters:
  ///   - grouping: What totals are grouped by.
  ///   - redaction: What is left out; nil: nothing.
  ///   - captures: The interfaces, as the user named them.
  public init(grouping: Configuration.Grouping, redaction: Redaction? = nil, captures: [String] = []) {
    self.grouping = grouping
    self.redaction = redaction
    self.captures = captures
    figures = PageFigures(grouping: grouping, redaction: redaction)
  }

  /// Adds a final message.
  public mutating func message(_ message: Message, texts: borrowing TextPool) { figures.add(message, texts: texts) }

  /// Adds a final exchange.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {
    figures.add(exchange, texts: texts)
  }

  /// Adds a final connection.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    figures.add(connection, texts: texts)
  }

  /// What the page shows of these totals: JSON that can stand in a `script` element, below 3 MB, without line breaks.
  ///
  /// - Parameters:
  ///   - totals: Those of now, with the tables of hosts, time, contents and fields.
  ///   - version: Its number, from 1: each that a run makes has a higher one.
  ///   - time: Now, in nanoseconds since the Unix epoch.
  ///   - isOver: Whether it is the last one.
  /// - Returns: The data.
  public func data(_ totals: Totals, version: Int, time: Int64, isOver: Bool) -> [UInt8] {
    let data = PageData(
      figures: figures, totals: totals, grouping: grouping, redaction: redaction, captures: captures, comparisons: [])
    return PageDocument.json(data.value(live: .init(version: version, time: time, isOver: isOver)))
      .filter { $0 != UInt8(ascii: "\n") }
  }
}
