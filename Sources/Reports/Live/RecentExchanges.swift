import HTTPReassembly
import Tabular

/// The latest exchanges of a live run, of all APIs together, for the live view's screen of one API. Some MiB at most for any
/// traffic.
public struct RecentExchanges: Sendable {
  /// The largest number of exchanges.
  public static let limit = 4096
  /// Octets of an API's name and of a path: longer names are not kept, longer paths are cut.
  public static let nameLimit = 512

  /// An exchange.
  struct Entry: Sendable {
    var key: APIKey
    var path: [UInt8]
    var method: [UInt8]
    var started: Int64
    var status: Int
    var octets: Int
    var wait: Int64?
    /// Whether it is not final yet, so that its facts may change.
    var isOpen = false
  }

  private let grouping: Configuration.Grouping
  private var entries: [Entry] = []
  /// The place of the next one after the limit is reached.
  private var next = 0
  /// Exchanges that are not final yet: most of those of the last seconds.
  private(set) var open: [Entry] = []

  /// No exchanges yet.
  ///
  /// - Parameter grouping: The grouping of APIs.
  public init(grouping: Configuration.Grouping) { self.grouping = grouping }

  /// Whether the exchanges of an API are kept: its name is no longer than the limit.
  static func keeps(_ key: APIKey) -> Bool {
    key.host.count + key.path.count + key.method.count + key.process.count <= nameLimit
  }

  /// Adds a final exchange.
  public mutating func add(_ exchange: Exchange, texts: borrowing TextPool) {
    let key = APIKey(exchange, grouping, texts)
    guard Self.keeps(key) else { return }
    let entry = Entry(
      key: key, path: Array(texts.octets(exchange.path).prefix(Self.nameLimit)),
      method: Array(texts.octets(exchange.method).prefix(Self.nameLimit)), started: exchange.started,
      status: exchange.status, octets: exchange.ipLength, wait: exchange.timings.wait)
    if entries.count < Self.limit {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.limit
    }
  }

  /// Replaces the known facts of exchanges that are not final.
  ///
  /// - Parameter forEachOpenMessage: Calls its argument with each message that is not final yet (`Pipeline.forEachOpenMessage`).
  public mutating func look(_ forEachOpenMessage: ((Message, borrowing TextPool) -> Void) -> Void) {
    var found: [Int: (entry: Entry, requestEnd: Int64?)] = [:]
    forEachOpenMessage { message, texts in
      guard message.exchange != 0, found[message.exchange] != nil || found.count < Self.limit else { return }
      let key = APIKey(message, grouping, texts)
      guard Self.keeps(key) else { return }
      var (entry, requestEnd) =
        found[message.exchange]
        ?? (
          Entry(
            key: key, path: Array(texts.octets(message.path).prefix(Self.nameLimit)),
            method: Array(texts.octets(message.method).prefix(Self.nameLimit)), started: message.firstTime, status: 0,
            octets: 0, wait: nil, isOpen: true), nil
        )
      entry.started = min(entry.started, message.firstTime)
      entry.octets += message.ipLength
      switch message.kind {
      case .request: requestEnd = message.lastTime
      case .response:
        entry.status = message.status
        entry.wait = requestEnd.map { max(message.firstTime - $0, 0) }
      case .interim: break
      }
      found[message.exchange] = (entry, requestEnd)
    }
    open = found.keys.sorted().compactMap { found[$0]?.entry }
  }

  /// The latest exchanges of a row's APIs, the last ones first.
  func last(_ count: Int, of key: APIKey, _ joining: LiveJoining) -> [Entry] {
    func isWanted(_ entry: Entry) -> Bool { joining.key(of: entry.key) == key }
    var found: [Entry] = []
    for offset in entries.indices where found.count < count {
      let entry = entries[(next - 1 - offset + 2 * entries.count) % entries.count]
      if isWanted(entry) { found.append(entry) }
    }
    let waiting = open.filter(isWanted)
    guard !waiting.isEmpty else { return found }
    return Array((waiting + found).sorted { $0.started > $1.started }.prefix(count))
  }
}
