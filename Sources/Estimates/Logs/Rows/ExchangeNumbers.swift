import HTTPReassembly

/// Numbers the exchanges of a table by their names in the log.
///
/// Names are unique only within one run of an app, and one file may hold logs of several runs. So a name begins a new exchange
/// when its current one cannot take the row: a second request or response, or another host. A name whose requests wait for
/// their responses together is no exchange's: it may be a trace's, a connection's, a session's or an API's.
struct ExchangeNumbers {
  private var exchanges: [String: Exchange] = [:]
  private var count = 0
  /// The exchanges whose response's row came before their request's, less all others with both.
  private var reversed = 0
  /// The first number of the name of each number.
  private var first: [Int] = []
  /// The first numbers of names that are no exchange's.
  private var shared: Set<Int> = []

  private struct Exchange {
    let number: Int
    let host: String
    /// The path and the query of its first row.
    let target: Target
    /// The first number of its name.
    let first: Int
    var hasRequest = false
    var hasResponse = false
    /// The earlier requests of the name that had no response when the next one came, and the responses that came for one of them.
    var waiting = 0
    var late = 0

    /// Whether a row may belong to it. In a log whose requests come first, a response without one leaves the next request alone.
    func takes(_ row: LogEntry, _ rowTarget: Target, isReversed: Bool) -> Bool {
      guard row.host == host else { return false }
      return switch row.kind {
      case .request: !hasRequest && (!hasResponse || isReversed && rowTarget == target)
      case .response: !hasResponse
      case .interim: true
      }
    }
  }

  /// The late responses that make a name no exchange's. Two loggers of one exchange make one.
  private static let sharedAfter = 2

  private struct Target: Equatable {
    let path: String
    let query: String?
  }

  /// The exchange of a row, from 1. An exchange takes any number of interim responses.
  mutating func number(_ name: String, _ row: LogEntry) -> Int {
    let target = Target(path: row.path, query: row.query)
    let last = exchanges[name]
    let isNew = last.map { !$0.takes(row, target, isReversed: reversed >= 0) } ?? true
    if isNew {
      count += 1
      first.append(last?.first ?? count)
    }
    var taken = if !isNew, let last { last } else { begun(after: last, row, target) }
    if row.kind == .request, taken.hasResponse { reversed += 1 }
    if row.kind == .response, taken.hasRequest { reversed -= 1 }
    // A response has the target of its request, but for a redirection's.
    let isOfAnother = row.kind == .response && taken.hasRequest && taken.waiting > 0 && taken.target != target
    if taken.late >= Self.sharedAfter || isOfAnother { shared.insert(taken.first) }
    if row.kind == .request { taken.hasRequest = true }
    if row.kind == .response { taken.hasResponse = true }
    exchanges[name] = taken
    return taken.number
  }

  /// The exchange that begins with the newest number.
  private func begun(after last: Exchange?, _ row: LogEntry, _ target: Target) -> Exchange {
    let kind = row.kind
    var next = Exchange(number: count, host: row.host, target: target, first: last?.first ?? count)
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
