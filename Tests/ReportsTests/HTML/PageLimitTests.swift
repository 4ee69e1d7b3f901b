import Foundation
import TestSupport
import Testing

@testable import HTTPReassembly
@testable import Reports

/// Whatever comes, what is kept and what is written has a limit, and what is left out is said.
@Suite struct PageLimitTests {
  private let folder = TemporaryFolder()

  @Test func aLargeCaptureGivesTheTop() throws {
    let report = try HTMLReport(folder: folder.path, grouping: .init())
    var texts = TextPool()
    var apis: [APITotals] = []
    let long = String(repeating: "<&\"\u{1F600}", count: 120)
    let host = texts.intern("api.example.com")
    for number in 1...2500 {
      let path = texts.intern("/\(number)\(long)")
      var exchange = Exchange()
      exchange.number = number
      exchange.connection = number
      exchange.host = host
      (exchange.path, exchange.apiPath) = (path, path)
      exchange.ipLength = number
      exchange.status = 404
      exchange.response = 2 * number
      // The smaller, the slower.
      exchange.timings.wait = Int64(2500 - number)
      var message = Message()
      message.number = number
      message.exchange = number
      message.octets.header = number
      message.contentType = texts.intern("text/\(long)\(number)")
      report.message(message, texts: texts)
      report.exchange(exchange, texts: texts)
      var connection = Connection()
      connection.number = number
      connection.client.address.low = UInt64(number)
      connection.ipLength.client = number
      connection.setup = number
      report.connection(connection, texts: texts)
      apis.append(api("/\(number)\(long)", up: number, down: 2 * number, in: &texts))
    }
    var totals = emptyTotals()
    totals.apis = apis
    totals.texts = texts
    try report.finish(totals)
    let page = try WrittenPage(folder)
    #expect(page.text.utf8.count < 3_000_000, "\(page.text.utf8.count)")
    for (name, limit) in [("apis", 200), ("connections", 200), ("exchanges", 1200)] {
      #expect(try page.rows(name).count == limit)
      #expect(try page.number(name, "total") == 2500)
    }
    // The thousand with the most octets, and the two hundred slowest; the failed ones and one of each API are among those.
    let numbers = try page.rows("exchanges").compactMap { $0["exchange"] as? Int }
    #expect(Set(numbers) == Set(1...200).union(1501...2500))
    let ofAPIs = Set(try page.rows("exchanges").compactMap { $0["api"] as? Int })
    #expect(ofAPIs == Set(0..<200))
    // More names than are told apart: their number is not known, their sums are.
    for (name, sum) in [("errors", "ip_bytes"), ("clients", "up"), ("pairs", "bytes")] {
      let table = try page.table(name)
      #expect(try page.rows(name).count == 100)
      #expect(table["total"] is NSNull)
      let columns = try #require(table["columns"] as? [String])
      let rest = try #require(table["rest"] as? [Any])
      let column = try #require(columns.firstIndex(of: sum))
      let hidden = try #require(rest[column] as? Int)
      let shown = try page.rows(name).compactMap { $0[sum] as? Int }.reduce(0, +)
      #expect(shown + hidden == 2500 * 2501 / 2, "\(name)")
    }
  }

  /// Content without a type, and a response whose start was not seen, are in the sums like others.
  @Test func whatHasNoTypeAndNoStatusIsShown() throws {
    let report = try HTMLReport(folder: folder.path, grouping: .init())
    var texts = TextPool()
    for number in 1...3 {
      var exchange = Exchange()
      exchange.number = number
      (exchange.ipLength, exchange.status, exchange.response) = (10 * number, number == 1 ? 0 : 200, number)
      var message = Message()
      (message.kind, message.number, message.exchange) = (.response, number, number)
      message.octets.body = number == 3 ? 0 : 100 * number
      if number == 2 { message.contentType = texts.intern(Array("text/html".utf8)) }
      report.message(message, texts: texts)
      report.exchange(exchange, texts: texts)
    }
    var totals = emptyTotals()
    totals.texts = texts
    try report.finish(totals)
    let page = try WrittenPage(folder)
    let types = try page.rows("content_types")
    #expect(types.map { $0["type"] as? String } == ["text/html", "(no content type)"])
    #expect(types.map { $0["bytes"] as? Int } == [200, 100] && types.map { $0["messages"] as? Int } == [1, 1])
    let statuses = try page.rows("statuses")
    #expect(
      statuses.map { $0["status"] as? Int } == [nil, 200] && statuses.map { $0["ip_bytes"] as? Int } == [10, 50])
  }

  @Test func theSlowestFailedAndOneOfEachAPIAreKept() {
    var kept = KeptExchanges()
    func add(_ number: Int, octets: Int, api: Int, wait: Int64 = 0, status: Int = 200) {
      var exchange = Exchange()
      exchange.number = number
      exchange.ipLength = octets
      exchange.timings.wait = wait
      exchange.response = number
      exchange.status = status
      kept.add(exchange, api: api) {
        ExchangeFigures(exchange: exchange, api: api, method: "", host: "", path: "", version: "")
      }
    }
    for number in 1...5000 { add(number, octets: 1000, api: 1) }
    add(5001, octets: 1, api: 1, wait: 9)
    add(5002, octets: 1, api: 1, status: 500)
    add(5003, octets: 1, api: 2)
    add(5004, octets: 2, api: 2)
    let numbers = Set(kept.shown([1, 2]).map(\.exchange.number))
    #expect(numbers.isSuperset(of: [5001, 5002, 5004]) && !numbers.contains(5003))
    #expect(kept.count == 5004)
  }

  /// More APIs than are remembered: those that come back with many octets are there, the small ones are not.
  @Test func largeAPIsAreRemembered() {
    var kept = KeptExchanges()
    func add(_ number: Int, octets: Int, api: Int) {
      var exchange = Exchange()
      exchange.number = number
      exchange.ipLength = octets
      exchange.response = number
      kept.add(exchange, api: api) {
        ExchangeFigures(exchange: exchange, api: api, method: "", host: "", path: "", version: "")
      }
    }
    // Larger ones than the page has room for, of one API; then many small APIs, of which one comes again and again.
    for number in 1...2000 { add(number, octets: 100_000, api: -1) }
    for number in 1...3 * PageLimits.apisWithExchange {
      add(2 * number + 10_000, octets: 10, api: number)
      add(2 * number + 10_001, octets: 10, api: -2)
    }
    #expect(kept.shown([-2]).contains { $0.api == -2 })
  }

  @Test func exchangesInProgressAreBounded() throws {
    var figures = PageFigures(grouping: .init(), redaction: nil)
    let texts = TextPool()
    for number in 1...PageLimits.exchangesInProgress + 10 {
      var message = Message()
      message.number = number
      message.exchange = number
      message.octets.header = 7
      figures.add(message, texts: texts)
    }
    #expect(figures.messagesWithoutParts == 10)
    for number in [1, PageLimits.exchangesInProgress + 1] {
      var exchange = Exchange()
      exchange.number = number
      exchange.ipLength = 7
      figures.add(exchange, texts: texts)
    }
    let parts = figures.exchanges.shown([]).map { $0.parts?.up.octets.header }
    #expect(parts == [7, nil])
  }

  @Test func contentTypesAreBounded() {
    var types = ContentTypes()
    let same = ["text/HTML", "text/html; charset=utf-8", "Text/html ;x"].map { types.number(of: Array($0.utf8)) }
    #expect(same == [1, 1, 1] && types.names[1] == Array("text/html".utf8))
    for number in 0..<2 * PageLimits.contentTypes { _ = types.number(of: Array("a/\(number)".utf8)) }
    #expect(types.names.count == PageLimits.contentTypes + 1)
    #expect(types.number(of: Array("b/new".utf8)) == 0 && types.number(of: []) == nil)
    #expect(types.number(of: Array(repeating: 0x61, count: PageLimits.contentTypeLength + 1)) == 0)
  }

  @Test func waitsAreInSteps() {
    var waits = WaitHistogram()
    for wait in [0, 100_000, 100_001, 1_000_000, 100_000_000_000, 100_000_000_001] as [Int64] { waits.add(wait) }
    #expect(waits.counts[0] == 2 && waits.counts[1] == 1 && waits.counts[3] == 1)
    #expect(waits.counts.suffix(2) == [1, 1] && waits.counts.reduce(0, +) == 6)
  }

  /// The sums hold whatever the times are; hostile ones are 292 years apart.
  @Test func timeKeepsEveryOctet() throws {
    var generator = SeededRandom(seed: 8)
    for span in [1_000, 1_000_000_000, 1 << 40, Int64.max] {
      let unit: Int64 = max(span / 10_000, 1)
      var timeline: [TimelineInterval] = []
      var sums = [Int](repeating: 0, count: OctetDirection.allCases.count)
      for _ in 0..<300 {
        let start = Int64.random(in: -span / unit / 2...(span / unit / 2 - 1), using: &generator) * unit
        let direction = OctetDirection.allCases.randomElement(using: &generator) ?? .up
        let octets = OctetClass.allCases.map { _ in Int.random(in: 0...1000, using: &generator) }
        timeline.append(
          TimelineInterval(start: start, end: start + unit, direction: direction, packets: 1, octets: octets))
        sums[direction.rawValue] += octets.reduce(0, +)
      }
      let page = try #require(PageTimeline(timeline))
      #expect(page.octets.map { $0.joined().reduce(0, +) } == sums, "every class is in one part")
      #expect(page.octets[0][0].count <= PageLimits.intervals && page.start == timeline.map(\.start).min())
    }
    #expect(PageTimeline([]) == nil)
  }

  /// Characters that take six octets in the page make a name shorter, so that the page's size has a limit.
  @Test func namesTakeBoundedOctets() {
    let name = PageName(redaction: nil)
    #expect(name.text(Array(repeating: UInt8(ascii: "a"), count: 160)).count == 160)
    let angles = name.text(Array(repeating: UInt8(ascii: "<"), count: 160))
    #expect(angles == String(repeating: "<", count: 53) + "… (160 bytes)")
  }

  @Test func theLargestRowsStay() {
    var generator = SeededRandom(seed: 7)
    var rows = TopRows<Int>(limit: 10)
    let weights = (0..<1000).map { _ in Int.random(in: 0..<300, using: &generator) }
    for (number, weight) in weights.enumerated() { rows.add(weight: weight, number: number) { number } }
    let expected = weights.indices.sorted { (-weights[$0], $0) < (-weights[$1], $1) }.prefix(10)
    #expect(rows.rows == Array(expected) && rows.count == 1000)
  }
}
