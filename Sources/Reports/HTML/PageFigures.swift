import HTTPReassembly
import Tabular

/// The figures of the page besides the totals, gathered within `PageLimits` as rows become final.
struct PageFigures {
  private let name: PageName
  private let grouping: Configuration.Grouping
  /// The earliest and the latest capture time of messages and connections; without any, the earliest is later.
  private(set) var earliest = Int64.max
  private(set) var latest = Int64.min
  private(set) var messages = 0
  private(set) var exchanges = KeptExchanges()
  private(set) var connections = TopRows<ShownConnection>(limit: PageLimits.connections)
  /// Sums over all connections.
  private(set) var setup = 0
  private(set) var teardown = 0
  private(set) var unattributed = 0
  /// The wait phase of all exchanges.
  private(set) var wait = LatencyDistribution()
  private(set) var waits = WaitHistogram()

  /// Figures by content coding.
  private(set) var codings = AddedRows<String, CodingFigures>(limit: PageLimits.rows, CodingFigures())
  private(set) var contentTypes = ContentTypes()
  /// Final responses and their octets on the wire, by status code.
  private(set) var statuses = AddedRows<Int, AddedFigures>(AddedFigures())
  /// Figures by client.
  private(set) var clients = AddedRows<IPAddress, ClientFigures>(ClientFigures())
  /// Figures of WebSockets.
  private(set) var webSockets = AddedRows<ShownSocket, WebSocketFigures>(WebSocketFigures())
  /// The costs behind possible savings.
  private(set) var savings: SavingFigures

  /// Exchanges that are not final, by number.
  private var open: [Int: ExchangeParts] = [:]
  /// Messages that are in their exchange's sum, but not in its parts, because too many exchanges were in progress.
  private(set) var messagesWithoutParts = 0

  /// A connection, and its host if known.
  struct ShownConnection {
    var connection: Connection
    var host: String
  }

  init(grouping: Configuration.Grouping, redaction: Redaction?) {
    self.grouping = grouping
    name = PageName(redaction: redaction)
    savings = SavingFigures(name)
  }

  // MARK: Rows

  mutating func add(_ message: Message, texts: borrowing TextPool) {
    messages += 1
    note(message.firstTime)
    note(message.lastTime)
    if message.contentEncoding != .none { addCoding(message, texts) }
    let frames = texts.webSocket(message.webSocket)
    if let frames {
      let shown = ShownSocket(
        host: name.host(texts.octets(message.host)), path: name.path(texts.octets(message.apiPath)),
        isFromServer: message.isFromServer)
      webSockets.add(shown) { $0.add(WebSocketFigures(frames)) }
    }
    let contentType = contentTypes.number(of: texts.octets(message.contentType))
    contentTypes.add(message, to: contentType)
    savings.add(message, texts: texts)
    if let index = open.index(forKey: message.exchange) {
      open.values[index].add(message, contentType: contentType, frames)
    } else if open.count < PageLimits.exchangesInProgress {
      var parts = ExchangeParts(message)
      parts.add(message, contentType: contentType, frames)
      open[message.exchange] = parts
    } else {
      messagesWithoutParts += 1
    }
  }

  mutating func add(_ exchange: Exchange, texts: borrowing TextPool) {
    note(exchange.started)
    if let wait = exchange.timings.wait {
      self.wait.record(wait)
      waits.add(wait)
    }
    var parts = open.removeValue(forKey: exchange.number)
    // Some of its messages may have come when there was no room.
    if let known = parts, known.up.ipLength + known.down.ipLength != exchange.ipLength { parts = nil }
    let (host, path) = (texts.octets(exchange.host), texts.octets(exchange.path))
    let method = texts.octets(exchange.method)
    let api = KeptExchanges.hash(
      host: host, path: texts.octets(exchange.apiPath), method: method,
      process: grouping.process ? texts.process(exchange.process)?.name ?? [] : [], grouping)
    exchanges.add(exchange, api: api) {
      ExchangeFigures(
        exchange: exchange, api: api, method: name.text(method), host: name.host(host), path: name.path(path),
        version: name.text(texts.octets(exchange.version)), parts: parts)
    }
    if exchange.response != nil { statuses.add(exchange.status) { $0.add(exchange.ipLength) } }
    savings.add(exchange, texts: texts)
  }

  mutating func add(_ connection: Connection, texts: borrowing TextPool) {
    note(connection.opened)
    note(connection.closed)
    setup += connection.setup
    teardown += connection.teardown
    unattributed += connection.unattributed
    let host = savings.add(connection, texts: texts)
    connections.add(weight: connection.ipLength.client + connection.ipLength.server, number: connection.number) {
      ShownConnection(connection: connection, host: host)
    }
    clients.add(connection.client.address) {
      $0.connections += 1
      $0.messages += connection.messages
      $0.up += connection.ipLength.client
      $0.down += connection.ipLength.server
    }
  }

  private mutating func addCoding(_ message: Message, _ texts: borrowing TextPool) {
    let coding = name.text(texts.octets(message.contentEncoding))
    codings.add(coding) { $0.add(octets: message.octets.body, decoded: message.decodedBody) }
  }

  private mutating func note(_ time: Int64) {
    earliest = min(earliest, time)
    latest = max(latest, time)
  }
}
