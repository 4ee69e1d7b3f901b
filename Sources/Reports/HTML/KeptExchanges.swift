import HTTPReassembly
import Tabular

/// What the page shows of an exchange. Texts are ready to be shown.
struct ExchangeFigures {
  var exchange: Exchange
  /// A hash of the API that it counts for (`KeptExchanges.hash`).
  var api: Int
  var method: String
  var host: String
  var path: String
  var version: String
  /// What its messages are made of; nil where too many exchanges were in progress.
  var parts: ExchangeParts?
}

/// The exchanges that the page shows: those with the most octets, the slowest, failed ones, and one of each API.
struct KeptExchanges {
  private var largest = TopRows<ExchangeFigures>(limit: PageLimits.exchanges)
  private var slowest = TopRows<ExchangeFigures>(limit: PageLimits.slowExchanges)
  private var failed = TopRows<ExchangeFigures>(limit: PageLimits.failedExchanges)
  /// The one with the most octets of each API, by the API's hash.
  private var ofAPIs: [Int: (octets: Int, figures: ExchangeFigures)] = [:]

  /// Exchanges that came, kept or not.
  var count: Int { largest.count }

  /// Adds an exchange, which is made only if it may stay.
  mutating func add(_ exchange: Exchange, api: Int, _ make: () -> ExchangeFigures) {
    var made: ExchangeFigures?
    func figures() -> ExchangeFigures {
      let figures = made ?? make()
      made = figures
      return figures
    }
    let (octets, number) = (exchange.ipLength, exchange.number)
    largest.add(weight: octets, number: number, figures)
    slowest.add(weight: Int(clamping: exchange.timings.duration), number: number, figures)
    if exchange.hasFailed { failed.add(weight: octets, number: number, figures) }
    if let index = ofAPIs.index(forKey: api) {
      ofAPIs.values[index].octets += octets
      if octets > ofAPIs.values[index].figures.exchange.ipLength { ofAPIs.values[index].figures = figures() }
    } else {
      ofAPIs[api] = (octets, figures())
      if ofAPIs.count > 2 * PageLimits.apisWithExchange { forgetSmallAPIs() }
    }
  }

  /// Forgets half of the APIs: those with the fewest octets, of which the page shows the sums only.
  private mutating func forgetSmallAPIs() {
    let sorted = ofAPIs.sorted { a, b in
      a.value.octets == b.value.octets
        ? a.value.figures.exchange.number < b.value.figures.exchange.number : a.value.octets > b.value.octets
    }
    ofAPIs = Dictionary(
      uniqueKeysWithValues: sorted.prefix(PageLimits.apisWithExchange).map { ($0.key, $0.value) })
  }

  /// The exchanges to show in the order of their starts; of APIs those of `apis`, by their hashes.
  func shown(_ apis: [Int]) -> [ExchangeFigures] {
    var byNumber: [Int: ExchangeFigures] = [:]
    for figures in largest.rows + slowest.rows + failed.rows { byNumber[figures.exchange.number] = figures }
    for api in apis {
      if let figures = ofAPIs[api]?.figures { byNumber[figures.exchange.number] = figures }
    }
    return byNumber.values.sorted { a, b in
      a.exchange.started == b.exchange.started
        ? a.exchange.number < b.exchange.number : a.exchange.started < b.exchange.started
    }
  }

  /// Tells APIs apart: by 64 bits with a key that is new in every run, so that nobody can prepare two that look alike.
  static func hash(
    host: [UInt8], path: [UInt8], method: [UInt8], process: [UInt8], _ grouping: Configuration.Grouping
  ) -> Int {
    var hasher = Hasher()
    hasher.combine(host)
    if grouping.path { hasher.combine(path) }
    if grouping.method { hasher.combine(method) }
    if grouping.process { hasher.combine(process) }
    return hasher.finalize()
  }
}

extension Exchange {
  /// Whether it ended with an error, or without response.
  var hasFailed: Bool { status >= 400 || response == nil }
}

extension ExchangeTimings {
  /// From the first octet of the request to the last one of the response, as far as it is known, in nanoseconds.
  var duration: Int64 {
    [send, wait, receive].reduce(0) { sum, phase in
      let (result, overflows) = sum.addingReportingOverflow(phase ?? 0)
      return overflows ? .max : result
    }
  }
}
