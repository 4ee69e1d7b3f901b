import HTTPReassembly
import Tabular

/// The page of a live run, for a server. Its content is gathered as for `report.html`, within `PageLimits`. It is made on
/// request, with the figures that the file would have at that moment.
public struct LivePage {
  /// The parts of the document before and after the data.
  public static var document: (head: [UInt8], tail: [UInt8]) { PageDocument.live }

  private let grouping: Configuration.Grouping
  private let redaction: Redaction?
  private let captures: [String]
  private var figures: PageFigures

  /// A page without data.
  ///
  /// - Parameters:
  ///   - grouping: The grouping of totals.
  ///   - redaction: The facts to leave out; nil keeps all.
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

  /// The page's data for these totals: JSON that is safe in a `script` element, below 3 MB, without line breaks.
  ///
  /// - Parameters:
  ///   - totals: The current totals, with the tables of hosts, time, contents and fields.
  ///   - version: Its number, from 1, which grows with each page of a run.
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
