import HTTPReassembly

/// Numbers the exchanges of a table by what the log calls them.
///
/// Names are unique in one run of an app only, and logs of several runs may be one file. So a name begins a new exchange when
/// the exchange that has it now cannot take the row: a second request or response, or another host.
struct ExchangeNumbers {
  private var exchanges: [String: Exchange] = [:]
  private var count = 0

  private struct Exchange {
    let number: Int
    let host: String
    var hasRequest = false
    var hasResponse = false
  }

  /// The exchange of a row, from 1. Any number of interim responses fit into one.
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
