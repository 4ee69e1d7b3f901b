import HTTPReassembly
import Tabular

/// Adds up the exchanges that match a condition, by API and by the summary's grouping. All other facts of a run stay whole: the
/// ledger, the anomalies, the rows of reports.
///
/// The messages of an exchange are final first; their figures wait here until the exchange is final, too. Memory: some 600 octets
/// for each of at most `limit` waiting exchanges. APIs, their names and their latencies take at most the limits of
/// `Configuration`.
public struct SelectedExchanges {
  /// The largest number of exchanges whose figures wait.
  public static let waitingLimit = 1 << 17

  /// The condition.
  public let condition: Condition
  /// Exchanges that match the condition.
  public private(set) var count = 0
  /// Exchanges that were tested.
  public private(set) var asked = 0
  /// Exchanges that could not be tested, because too many waited. They count as left out.
  public private(set) var unasked = 0

  /// The facts of an exchange whose messages are not all final.
  private struct Waiting {
    var totals = APITotals()
    /// The known cells of `condition.columns`.
    var cells: [Cell]
    var groups: [(name: [UInt8], totals: GroupTotals)] = []
  }

  private let configuration: Configuration
  private let limit: Int
  private let grouping: SummaryGrouping?
  private var waiting: [Int: Waiting] = [:]
  private var positions: [APIKey: Int] = [:]
  private var apis: [(key: APIKey, totals: APITotals)] = []
  private var nameLength = 0
  private var latencyMemory = 0
  private var latencyBits: Int?
  private var groups: [[UInt8]: GroupTotals] = [:]
  private let requestColumns: [(cell: Int, column: Int)]
  private let responseColumns: [(cell: Int, column: Int)]
  private let exchangeColumns: [(cell: Int, column: Int)]

  /// No exchanges are selected yet.
  ///
  /// - Parameters:
  ///   - condition: The condition for the exchanges to add up.
  ///   - configuration: The grouping of the totals, and their limits.
  ///   - grouping: The grouping of the summary; nil for APIs.
  ///   - limit: The largest number of exchanges whose figures wait.
  public init(
    _ condition: Condition, configuration: Configuration, grouping: SummaryGrouping? = nil, limit: Int = waitingLimit
  ) {
    self.condition = condition
    self.limit = limit
    self.configuration = configuration
    self.grouping = grouping
    func columns(of owners: [ConditionColumn.Owner]) -> [(cell: Int, column: Int)] {
      condition.columns.enumerated().filter { owners.contains($0.element.owner) }
        .map { (cell: $0.offset, column: $0.element.position) }
    }
    requestColumns = columns(of: [.request, .message])
    responseColumns = columns(of: [.response, .message])
    exchangeColumns = columns(of: [.exchange])
  }

  /// Adds a final message.
  public mutating func message(_ message: Message, texts: borrowing TextPool) {
    guard message.exchange != 0 else { return }
    if waiting[message.exchange] == nil, waiting.count >= limit { return }
    var exchange =
      waiting.removeValue(forKey: message.exchange)
      ?? Waiting(cells: Array(repeating: .unknown, count: condition.columns.count))
    exchange.totals.add(message)
    let columns = message.kind == .request ? requestColumns : message.kind == .response ? responseColumns : []
    if !columns.isEmpty {
      var reader = CellReader(columns.map(\.column), of: MessageRow.columns.count)
      MessageRow.write(message, texts: texts, to: &reader)
      for (cell, column) in columns { exchange.cells[cell] = reader.cells[column] }
    }
    note(message, texts, &exchange.groups)
    waiting[message.exchange] = exchange
  }

  /// Adds a final exchange, whose messages are final, too.
  ///
  /// - Parameters:
  ///   - exchange: The exchange.
  ///   - texts: Its texts.
  /// - Returns: Whether it matches the condition.
  @discardableResult
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) -> Bool {
    guard var known = waiting.removeValue(forKey: exchange.number) else {
      unasked += 1
      return false
    }
    asked += 1
    if !exchangeColumns.isEmpty {
      var reader = CellReader(exchangeColumns.map(\.column), of: ExchangeRow.columns.count)
      ExchangeRow.write(exchange, texts: texts, to: &reader)
      for (cell, column) in exchangeColumns { known.cells[cell] = reader.cells[column] }
    }
    guard condition.holds(known.cells) else { return false }
    count += 1
    if let wait = exchange.timings.wait { known.totals.wait.record(wait) }
    add(known.totals, APIKey(exchange, configuration.grouping, texts))
    for (name, totals) in known.groups { add(totals, toGroup: name) }
    return true
  }

  // MARK: APIs

  private mutating func add(_ totals: APITotals, _ key: APIKey) {
    var key = key
    if positions[key] == nil {
      let length = key.host.count + key.path.count + key.method.count + key.process.count
      if apis.count >= configuration.apiLimit || nameLength + length > configuration.apiTextLimit {
        key = APIKey(host: [], path: [])
      } else {
        nameLength += length
      }
    }
    let position: Int
    if let known = positions[key] {
      position = known
    } else {
      position = apis.count
      positions[key] = position
      var empty = APITotals()
      if let latencyBits { empty.wait.coarsen(to: latencyBits) }
      apis.append((key, empty))
    }
    latencyMemory -= apis[position].totals.wait.memory
    apis[position].totals.add(totals)
    latencyMemory += apis[position].totals.wait.memory
    while latencyMemory > configuration.latencyOctetLimit, latencyBits != 0 { coarsenLatencies() }
  }

  /// Halves the precision of latencies, as the table of all APIs does.
  private mutating func coarsenLatencies() {
    let bits = (latencyBits ?? LatencyDistribution.finestBits) - 1
    latencyBits = bits
    latencyMemory = 0
    for position in apis.indices {
      apis[position].totals.wait.coarsen(to: bits)
      latencyMemory += apis[position].totals.wait.memory
    }
  }

  // MARK: Groups

  /// Adds the figures of a message to its group.
  private func note(
    _ message: Message, _ texts: borrowing TextPool, _ groups: inout [(name: [UInt8], totals: GroupTotals)]
  ) {
    guard let grouping else { return }
    let name: [UInt8]
    switch grouping {
    case .host: name = texts.octets(message.host)
    case .domain: name = RegistrableDomain.of(host: texts.octets(message.host))
    case .client: name = Array(message.client.address.description.utf8)
    case .server: name = Array("\(message.server)".utf8)
    case .contentType: name = GroupKey.mediaType(texts.octets(message.contentType))
    case .status: name = message.status == 0 ? [] : Array("\(message.status)".utf8)
    case .method: name = texts.octets(message.method)
    case .process: name = texts.processName(message.process)
    }
    var totals = GroupTotals()
    if message.kind == .request { totals.requests = 1 }
    if message.kind == .response { totals.responses = 1 }
    totals.up = message.directions.client
    totals.down = message.directions.server
    // There can be any number of interim responses; their groups are few.
    if let position = groups.firstIndex(where: { $0.name == name }) {
      groups[position].totals.add(totals)
    } else if groups.count < Self.groupsOfExchange {
      groups.append((name, totals))
    } else {
      groups[groups.count - 1].totals.add(totals)
    }
  }

  /// The largest number of groups of one exchange's messages.
  private static let groupsOfExchange = 8

  private mutating func add(_ totals: GroupTotals, toGroup name: [UInt8]) {
    var name = name
    if groups[name] == nil, groups.count >= configuration.groupLimit || name.count > Self.longestGroupName { name = [] }
    groups[name, default: GroupTotals()].add(totals)
  }

  /// Octets of a group's name: a host's has at most 255 and a port.
  private static let longestGroupName = 512

  // MARK: Result

  /// Totals whose APIs and groups have the selected exchanges alone, with their numbers.
  ///
  /// - Parameters:
  ///   - totals: The totals of all exchanges.
  ///   - redaction: Leaves out personal facts, and so the condition.
  /// - Returns: The totals, whose ledger and anomalies are whole, and the selection.
  public func select(in totals: Totals, _ redaction: Redaction? = nil) -> (totals: Totals, selection: Selection) {
    var selected = totals
    selected.apis = apis.sorted { $0.key < $1.key }.map { key, figures in
      var api = figures
      api.host = selected.texts.intern(key.host)
      api.path = selected.texts.intern(key.path)
      api.method = selected.texts.intern(key.method)
      api.process = selected.texts.intern(key.process)
      return api
    }
    selected.groups = groups.map { name, figures in
      var group = figures
      group.name = name
      return group
    }
    func length(_ totals: Totals) -> Int { totals.apis.reduce(0) { $0 + $1.ipLength } }
    return (
      selected,
      Selection(
        condition: redaction == nil ? condition.text : nil, exchanges: count, leftOut: asked - count + unasked,
        leftOutLength: length(totals) - length(selected), unasked: unasked)
    )
  }
}

/// The result of a condition, for readers of the summary.
public struct Selection: Sendable, Equatable {
  /// The condition as given; nil where it may contain facts to be left out.
  public let condition: String?
  /// Exchanges that match it.
  public let exchanges: Int
  /// Exchanges that are left out.
  public let leftOut: Int
  /// `ip_bytes` of messages that are left out, including messages without an exchange.
  public let leftOutLength: Int
  /// Exchanges among those left out that could not be tested.
  public let unasked: Int

  /// The lines for people.
  package func lines(_ place: String = "the table above") -> [String] {
    let condition = condition.map { TextEscaping.string(Array($0.utf8)) } ?? "the condition holds"
    var lines = [
      "where \(condition): \(Numerals.grouped(exchanges)) exchanges; left out of "
        + "\(place): \(Numerals.grouped(leftOut)) exchanges, \(Numerals.grouped(leftOutLength)) bytes"
    ]
    if unasked > 0 {
      lines.append(
        "exchanges that the condition could not be asked of, as too many were open at once: \(Numerals.grouped(unasked))"
      )
    }
    return lines
  }
}

extension GroupTotals {
  /// Adds the figures of another group; the name stays.
  mutating func add(_ other: GroupTotals) {
    connections += other.connections
    requests += other.requests
    responses += other.responses
    up += other.up
    down += other.down
  }
}
