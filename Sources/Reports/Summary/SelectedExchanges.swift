import HTTPReassembly
import Tabular

/// A condition in front of tables: APIs, and what the summary is grouped by, of the exchanges that it holds for. Everything else that is
/// known of a run stays whole: the ledger, the anomalies, the rows of reports.
///
/// Of an exchange its messages are final first; they wait here until the exchange is, too. Memory: some 450 octets for each of at most
/// `limit` messages that wait, `textLimit` for texts, and some 24 MiB for the tables. The tables are copied while a summary is made.
public struct SelectedExchanges {
  /// Messages that may wait.
  public static let waitingLimit = 1 << 15
  /// Octets of memory that texts take, those of APIs' names among them, beyond which no further message waits.
  public static let textLimit = 32 << 20
  /// APIs with totals of their own. Beyond it, exchanges are counted under an API without a path. Names, times and groups
  /// have a quarter of the room that they have in a run.
  public static let apiLimit = 1 << 15

  /// The condition.
  public let condition: Condition
  /// Exchanges that match the condition.
  public private(set) var count = 0
  /// Exchanges that were tested.
  public private(set) var asked = 0
  /// Exchanges that it could not be asked of, since too many messages waited. They count as left out.
  public private(set) var unasked = 0

  private let limit: Int
  private let textLimit: Int
  private var waiting: [Int: [Message]] = [:]
  private var waitingCount = 0
  /// The texts of messages that wait, and of the tables: those of a run are gone when a message has been handed over.
  private var texts = TextPool()
  private var apis: APITable
  private var groups: GroupTable
  /// Anomalies that tell of full tables.
  private var anomalies = AnomalyLog()

  /// No exchanges are selected yet.
  ///
  /// - Parameters:
  ///   - condition: The condition for the exchanges that are added up.
  ///   - configuration: The keys that totals are grouped by, and the limits of their number.
  ///   - grouping: The key of the summary; nil for APIs.
  ///   - limit: Messages that may wait.
  ///   - textLimit: Octets of memory that texts may take before a message waits.
  public init(
    _ condition: Condition, configuration: Configuration, grouping: SummaryGrouping? = nil, limit: Int = waitingLimit,
    textLimit: Int = textLimit
  ) {
    self.condition = condition
    self.limit = limit
    self.textLimit = textLimit
    var configuration = configuration
    configuration.groupKey = grouping.map { $0.key ?? .host }
    // They come beside the tables of the run.
    configuration.groupLimit /= 4
    configuration.apiLimit = min(configuration.apiLimit, Self.apiLimit)
    configuration.apiTextLimit = min(configuration.apiTextLimit, textLimit / 4)
    configuration.latencyOctetLimit /= 4
    groups = GroupTable(configuration: configuration, isOfMessages: true)
    // A message says the path of its API, which is a template already.
    configuration.templatePaths = false
    configuration.pathPatterns = []
    apis = APITable(configuration: configuration)
  }

  /// A message is final.
  public mutating func message(_ message: Message, texts source: borrowing TextPool) {
    guard message.exchange != 0, waitingCount < limit, texts.memory < textLimit else { return }
    var message = message
    message.changeTexts { texts.intern($0, of: source) }
    message.apiPath = texts.intern(message.apiPath, of: source)
    waiting[message.exchange, default: []].append(message)
    waitingCount += 1
  }

  /// Adds a final exchange, whose messages are final, too.
  ///
  /// - Parameters:
  ///   - exchange: The exchange.
  ///   - source: The pool of its texts.
  /// - Returns: Whether the condition holds for it.
  @discardableResult
  public mutating func exchange(_ exchange: Exchange, texts source: borrowing TextPool) -> Bool {
    let messages = waiting.removeValue(forKey: exchange.number) ?? []
    waitingCount -= messages.count
    defer {
      for message in messages {
        message.releaseTexts(of: &texts)
        texts.release(message.apiPath)
      }
    }
    // An exchange has the octets of its messages: one that lacks some had no room here.
    guard messages.reduce(0, { $0 + $1.ipLength }) == exchange.ipLength else {
      unasked += 1
      return false
    }
    asked += 1
    guard condition.holds(for: exchange, source, messages, texts) else { return false }
    count += 1
    anomalies.now = exchange.started
    for var message in messages {
      message.path = message.apiPath
      apis.add(message, texts: &texts, anomalies: &anomalies)
      groups.add(message, texts, &anomalies)
    }
    var exchange = exchange
    exchange.path = exchange.apiPath
    exchange.changeTexts { texts.intern($0, of: source) }
    _ = apis.add(exchange, texts: &texts, anomalies: &anomalies)
    exchange.releaseTexts(of: &texts)
    return true
  }

  /// Totals whose APIs and groups have the selected exchanges alone, and how many there are.
  ///
  /// - Parameters:
  ///   - totals: The totals of all exchanges.
  ///   - redaction: Leaves out personal facts, and so the condition.
  /// - Returns: The totals, whose ledger and anomalies are whole, and the selection.
  public func select(in totals: Totals, _ redaction: Redaction? = nil) -> (totals: Totals, selection: Selection) {
    var selected = totals
    // The run has larger tables.
    let known = totals.anomalies.all.map(\.anomaly)
    for (anomaly, own) in anomalies.all where !known.contains(anomaly) {
      selected.anomalies.set(
        anomaly, count: own.count, firstTime: own.firstTime, firstConnection: own.firstConnection)
    }
    selected.groups = groups.sorted
    selected.apis = apis.sorted(texts: texts)
    for index in selected.apis.indices {
      selected.apis[index].changeTexts { selected.texts.intern($0, of: texts) }
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
    func counted(_ count: Int) -> String { "\(Numerals.grouped(count)) exchange\(count == 1 ? "" : "s")" }
    var lines = [
      "where \(condition): \(counted(exchanges)); left out of \(place): \(counted(leftOut)), "
        + "\(Numerals.grouped(leftOutLength)) bytes"
    ]
    if unasked > 0 {
      lines.append(
        "exchanges that could not be tested, as too many were open at once: \(Numerals.grouped(unasked))"
      )
    }
    return lines
  }
}
