import HTTPReassembly

/// Numbers the exchanges of a table by their names in the log.
///
/// Names are unique only within one run of an app, and one file may hold logs of several runs. So a name begins a new exchange
/// when its current one cannot take the row: a second request or response, or another host.
struct ExchangeNumbers {
  private var exchanges: [String: Exchange] = [:]
  private var count = 0

  private struct Exchange {
    let number: Int
    let host: String
    var hasRequest = false
    var hasResponse = false
  }

  /// The exchange of a row, from 1. An exchange takes any number of interim responses.
  mutating func number(_ name: String, _ kind: MessageKind, host: String) -> Int {
    var exchange = exchanges[name]
    if let known = exchange,
      known.host != host || kind == .request && known.hasRequest || kind == .response && known.hasResponse
    {
      exchange = nil
    }
    if exchange == nil { count += 1 }
    var taken = exchange ?? Exchange(number: count, host: host)
    if kind == .request { taken.hasRequest = true }
    if kind == .response { taken.hasResponse = true }
    exchanges[name] = taken
    return taken.number
  }
}
