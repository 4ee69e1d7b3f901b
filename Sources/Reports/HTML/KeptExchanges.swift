import HTTPReassembly
import Tabular

/// The facts of an exchange on the page. Texts are ready for display.
struct ExchangeFigures {
  var exchange: Exchange
  /// A hash of its API (`KeptExchanges.hash`).
  var api: Int
  var method: String
  var host: String
  var path: String
  var version: String
  /// The parts of its messages; nil when too many exchanges were in progress.
  var parts: ExchangeParts?
}

/// The exchanges on the page: those with the most octets, the slowest, failed ones, and one of each API.
struct KeptExchanges {
  private var largest = TopRows<ExchangeFigures>(limit: PageLimits.exchanges)
  private var slowest = TopRows<ExchangeFigures>(limit: PageLimits.slowExchanges)
  private var failed = TopRows<ExchangeFigures>(limit: PageLimits.failedExchanges)
  /// The exchange with the most octets of each API, by the API's hash.
  private var ofAPIs: [Int: (octets: Int, figures: ExchangeFigures)] = [:]

  /// The number of exchanges, kept or not.
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

  /// Forgets half of the APIs: those with the fewest octets, for which the page shows only sums.
  private mutating func forgetSmallAPIs() {
    let sorted = ofAPIs.sorted { a, b in
      a.value.octets == b.value.octets
        ? a.value.figures.exchange.number < b.value.figures.exchange.number : a.value.octets > b.value.octets
    }
    ofAPIs = Dictionary(
      uniqueKeysWithValues: sorted.prefix(PageLimits.apisWithExchange).map { ($0.key, $0.value) })
  }

  /// The exchanges to show, in the order of their starts, with one for each API in `apis`, by hash.
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

  /// A 64-bit hash that tells APIs apart. Its key is new in every run, so that two APIs with one hash cannot be prepared.
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
  /// Whether it ended with an error, or without a response.
  var hasFailed: Bool { status >= 400 || response == nil }
}

extension ExchangeTimings {
  /// Nanoseconds from the first octet of the request to the last one of the response, as far as known.
  var duration: Int64 { Self.sum([send, wait, receive]) }

  /// The sum of some phases in nanoseconds; it stops at the largest number, since a hostile capture's phases may take centuries.
  static func sum(_ phases: [Int64?]) -> Int64 {
    phases.reduce(0) { sum, phase in
      let (result, overflows) = sum.addingReportingOverflow(phase ?? 0)
      return overflows ? .max : result
    }
  }
}
