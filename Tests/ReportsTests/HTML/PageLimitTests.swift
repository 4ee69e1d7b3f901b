import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import Reports

/// Whatever comes, what is kept and what is written has a limit, and what is left out is said.
@Suite struct PageLimitTests {
  private let folder = TemporaryFolder()

  @Test func aLargeCaptureGivesTheTop() throws {
    let report = try HTMLReport(folder: folder.path, grouping: .init())
    var texts = TextPool()
    var apis: [APITotals] = []
    let long = String(repeating: "<&\"\u{1F600}", count: 120)
    for number in 1...6000 {
      var exchange = Exchange()
      exchange.number = number
      exchange.connection = number
      exchange.host = texts.intern(long)
      exchange.path = texts.intern("/\(number)\(long)")
      exchange.ipLength = number
      exchange.status = 404
      report.exchange(exchange, texts: texts)
      var connection = Connection()
      connection.number = number
      connection.ipLength.client = number
      report.connection(connection, texts: texts)
      apis.append(api("/\(number)\(long)", up: number, down: 2 * number, in: &texts))
    }
    var totals = emptyTotals()
    totals.apis = apis
    totals.texts = texts
    try report.finish(totals)
    let page = try WrittenPage(folder)
    #expect(page.text.utf8.count < 2 << 20, "\(page.text.utf8.count)")
    for (name, limit) in [("apis", 200), ("exchanges", 1000), ("connections", 200)] {
      #expect(try page.rows(name).count == limit)
      #expect(try page.number(name, "total") == 6000)
    }
    #expect(try page.rows("exchanges").first?["exchange"] as? Int == 6000)
    #expect(try page.rows("exchanges").last?["exchange"] as? Int == 5001)
    // More names than are told apart: their number is not known, their sums are.
    #expect(try page.rows("errors").count == 100)
    let errors = try page.table("errors")
    #expect(errors["total"] is NSNull)
    let rest = try #require(errors["rest"] as? [Any])
    let shown = try page.rows("errors").compactMap { $0["ip_bytes"] as? Int }.reduce(0, +)
    let hidden = try #require(rest[4] as? Int)
    #expect(shown + hidden == 6000 * 6001 / 2)
  }

  @Test func messagesInProgressAreBounded() {
    let observer = PageObserver()
    let line = Array("GET / HTTP/1.1".utf8)
    let field = Array("A: b".utf8)
    for number in 1...PageLimits.messagesInProgress + 10 {
      line.withOctets { observer.startLine($0, of: number, kind: .request) }
      field.withOctets { observer.fieldLine($0, name: 0..<1, value: 3..<4, of: number) }
    }
    #expect(observer.unread.messages == 10)
    for _ in 0..<PageLimits.fieldsPerMessage + 5 {
      field.withOctets { observer.fieldLine($0, name: 0..<1, value: 3..<4, of: 1) }
    }
    #expect(observer.unread.fields == 6)
    var row = Message()
    row.number = 1
    #expect(observer.take(row)?.fields.count == PageLimits.fieldsPerMessage)
    #expect(observer.take(row) == nil)
  }

  @Test func namesOfFieldsAreBounded() {
    let observer = PageObserver()
    Array("GET / HTTP/1.1".utf8).withOctets { observer.startLine($0, of: 1, kind: .request) }
    for number in 0..<PageLimits.fieldNames + 100 {
      if number % PageLimits.fieldsPerMessage == 0 {
        let message = 2 + number / PageLimits.fieldsPerMessage
        Array("GET / HTTP/1.1".utf8).withOctets { observer.startLine($0, of: message, kind: .request) }
      }
      let name = Array("Name-\(number): x".utf8)
      name.withOctets {
        observer.fieldLine(
          $0, name: 0..<name.count - 3, value: name.count - 1..<name.count, of: 2 + number / PageLimits.fieldsPerMessage
        )
      }
    }
    #expect(observer.fieldNames.names.count == PageLimits.fieldNames + 1)
    let long = Array(String(repeating: "n", count: 65).utf8) + Array(": x".utf8)
    long.withOctets { observer.fieldLine($0, name: 0..<65, value: 67..<68, of: 1) }
    var row = Message()
    row.number = 1
    #expect(observer.take(row)?.fields.map(\.name) == [0])
  }

  @Test func hashesAreBounded() {
    var hashes = RememberedHashes(limit: 2)
    #expect([1, 2, 3, 1, 3].map { hashes.hasSeen($0) } == [false, false, false, true, false])
    #expect(hashes.forgotten == 2)
  }

  @Test func theLargestRowsStay() {
    var generator = FixedGenerator(seed: 7)
    var rows = TopRows<Int>(limit: 10)
    let weights = (0..<1000).map { _ in Int.random(in: 0..<300, using: &generator) }
    for (number, weight) in weights.enumerated() { rows.add(weight: weight, number: number) { number } }
    let expected = weights.indices.sorted { (-weights[$0], $0) < (-weights[$1], $1) }.prefix(10)
    #expect(rows.rows == Array(expected) && rows.count == 1000)
  }

  /// The sums hold whatever the times are; hostile ones are 292 years apart.
  @Test func throughputKeepsEveryOctet() throws {
    var generator = FixedGenerator(seed: 8)
    for span in [1_000, 1_000_000_000, 1 << 40, Int64(1) << 62] {
      var throughput = Throughput()
      var (up, down) = (0, 0)
      for _ in 0..<300 {
        let start = Int64.random(in: -span...span, using: &generator) / 2
        let end = start + Int64.random(in: 0...span, using: &generator) / 2
        let octets = Int.random(in: 0...100_000, using: &generator)
        let isUp = Bool.random(using: &generator)
        throughput.add(octets, isUp: isUp, from: start, to: end)
        if isUp { up += octets } else { down += octets }
      }
      let intervals = try #require(throughput.intervals)
      #expect(intervals.up.reduce(0, +) == up && intervals.down.reduce(0, +) == down)
      #expect(intervals.up.count <= PageLimits.intervals && intervals.up.allSatisfy { $0 >= 0 })
    }
  }

  @Test func aMessageIsSpreadOverItsTime() throws {
    var throughput = Throughput()
    throughput.add(100, isUp: false, from: 10_000_000, to: 12_000_000)
    let intervals = try #require(throughput.intervals)
    #expect(throughput.width == 1_000_000 && intervals.start == 10_000_000)
    #expect(intervals.down == [50, 50, 0] && intervals.up == [0, 0, 0])
  }
}
