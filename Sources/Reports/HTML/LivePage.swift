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
  /// The wait phases of exchanges that are not final, which totals lack.
  private var waits: [(key: APIKey, wait: Int64)] = []

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

  /// The page with the messages that are not final, and with their exchanges from the start of the response on.
  ///
  /// - Parameter forEachOpenMessage: Calls its argument with each message that is not final yet (`Pipeline.forEachOpenMessage`).
  /// - Returns: The page, for `data` alone: further rows belong to the page without them.
  public func including(_ forEachOpenMessage: ((Message, borrowing TextPool) -> Void) -> Void) -> LivePage {
    var open: [Int: OpenExchange] = [:]
    forEachOpenMessage { message, _ in
      guard message.exchange != 0, open[message.exchange] != nil || open.count < PageLimits.exchangesInProgress else {
        return
      }
      open[message.exchange, default: OpenExchange(message)].add(message)
    }
    var page = self
    forEachOpenMessage { message, texts in
      page.figures.add(message, texts: texts)
      // Texts are known only beside their message. A request that waits for its response has not failed.
      open[message.exchange]?.rest -= 1
      guard let exchange = open[message.exchange], exchange.rest == 0, exchange.hasResponse else { return }
      let row = exchange.row(message)
      page.figures.add(row, texts: texts)
      if let wait = row.timings.wait { page.waits.append((APIKey(row, grouping, texts), wait)) }
    }
    return page
  }

  /// An exchange that is not final.
  private struct OpenExchange {
    private var exchange = Exchange()
    private var requestEnd: Int64?
    /// The number of its messages that are still to come.
    var rest = 0

    init(_ message: Message) {
      exchange.number = message.exchange
      exchange.connection = message.connection
      exchange.started = message.firstTime
    }

    mutating func add(_ message: Message) {
      rest += 1
      exchange.started = min(exchange.started, message.firstTime)
      exchange.ipLength += message.ipLength
      switch message.kind {
      case .request:
        exchange.request = message.number
        exchange.requestLength = message.octets.total
        exchange.timings.send = max(message.lastTime - message.firstTime, 0)
        requestEnd = message.lastTime
      case .interim: exchange.responseLength += message.octets.total
      case .response:
        exchange.response = message.number
        exchange.status = message.status
        exchange.responseLength += message.octets.total
        exchange.timings.receive = max(message.lastTime - message.firstTime, 0)
        exchange.timings.wait = requestEnd.map { max(message.firstTime - $0, 0) }
      }
    }

    /// Whether the final response has begun.
    var hasResponse: Bool { exchange.response != nil }

    /// The row, with the texts of one of its messages.
    func row(_ message: Message) -> Exchange {
      var row = exchange
      (row.method, row.host, row.path, row.apiPath) = (message.method, message.host, message.path, message.apiPath)
      (row.version, row.process, row.pairing) = (message.version, message.process, message.pairing)
      return row
    }
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
    var totals = totals
    if !waits.isEmpty {
      var positions: [APIKey: Int] = [:]
      for (position, api) in totals.apis.enumerated() { positions[APIKey(api, totals.texts)] = position }
      for (key, wait) in waits {
        if let position = positions[key] { totals.apis[position].wait.record(wait) }
      }
    }
    let data = PageData(
      figures: figures, totals: totals, grouping: grouping, redaction: redaction, captures: captures, comparisons: [])
    return PageDocument.json(data.value(live: .init(version: version, time: time, isOver: isOver)))
      .filter { $0 != UInt8(ascii: "\n") }
  }
}
