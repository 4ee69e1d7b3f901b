import HTTPReassembly

/// Numbers the exchanges of a table by their names in the log.
///
/// Names are unique only within one run of an app, and one file may hold logs of several runs. So a name begins a new exchange
/// when its current one cannot take the row: a second request or response, or another host. A name whose requests wait for
/// their responses together is no exchange's: it may be a connection's, a session's or an API's.
struct ExchangeNumbers {
  private var exchanges: [String: Exchange] = [:]
  private var count = 0
  /// The first number of the name of each number.
  private var first: [Int] = []
  /// The first numbers of names that are no exchange's.
  private var shared: Set<Int> = []

  private struct Exchange {
    let number: Int
    let host: String
    /// The first number of its name.
    let first: Int
    var hasRequest = false
    var hasResponse = false
    /// The earlier requests of the name that had no response when the next one came, and the responses that came for one of them.
    var waiting = 0
    var late = 0
  }

  /// The late responses that make a name no exchange's. Two loggers of one exchange make one.
  private static let sharedAfter = 2

  /// The exchange of a row, from 1. An exchange takes any number of interim responses.
  mutating func number(_ name: String, _ kind: MessageKind, host: String) -> Int {
    var exchange = exchanges[name]
    if let known = exchange,
      known.host != host || kind == .request && known.hasRequest || kind == .response && known.hasResponse
    {
      exchange = nil
    }
    if exchange == nil {
      count += 1
      first.append(exchanges[name]?.first ?? count)
    }
    var taken = exchange ?? begun(after: exchanges[name], kind, host: host)
    if taken.late >= Self.sharedAfter { shared.insert(taken.first) }
    if kind == .request { taken.hasRequest = true }
    if kind == .response { taken.hasResponse = true }
    exchanges[name] = taken
    return taken.number
  }

  /// The exchange that begins with the newest number.
  private func begun(after last: Exchange?, _ kind: MessageKind, host: String) -> Exchange {
    var next = Exchange(number: count, host: host, first: last?.first ?? count)
    guard let last else { return next }
    let isWaiting = last.hasRequest && !last.hasResponse
    (next.waiting, next.late) = (last.waiting + (kind == .request && isWaiting ? 1 : 0), last.late)
    if kind == .response, last.waiting > 0 { (next.waiting, next.late) = (last.waiting - 1, last.late + 1) }
    return next
  }

  /// Whether a number has a name that is no exchange's. Where several names are not, none is.
  func isShared(_ number: Int) -> Bool { shared.count >= Self.sharedNames || shared.contains(first[number - 1]) }

  private static let sharedNames = 3
}
