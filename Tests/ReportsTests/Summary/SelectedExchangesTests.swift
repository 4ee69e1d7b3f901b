import Foundation
import TestSupport
import Testing

@testable import HTTPReassembly
@testable import Reports
@testable import Tabular

/// What `--where` adds up, held against sums that this test makes, and what the JSON summary says of it.
@Suite struct SelectedExchangesTests {
  private struct Row {
    var message: Message
    var host: String
    var path: String
  }

  /// Exchanges at random with their messages, in an order in which they can become final, and their sums by API for which `holds`.
  private func run(
    _ condition: String, _ configuration: Configuration = Configuration(), grouping: SummaryGrouping? = nil,
    holds: (_ status: Int, _ host: String, _ requestHeader: Int) -> Bool
  ) throws -> (selected: SelectedExchanges, whole: Totals, sums: [String: [Int]], count: Int) {
    var random = SeededRandom(seed: 0x7365_6c65)
    var texts = TextPool()
    var selected = SelectedExchanges(try Condition(condition), configuration: configuration, grouping: grouping)
    var whole = APITotals()
    var sums: [String: [Int]] = [:]
    var count = 0
    var number = 0
    var open: [Exchange] = []
    func finish(_ exchange: Exchange) { selected.exchange(exchange, texts: texts) }
    for index in 1...400 {
      let host = ["a.example.com", "b.example.com", "x\u{1b}\"y"][Int.random(in: 0..<3, using: &random)]
      let path = "/p\(Int.random(in: 0..<4, using: &random))"
      let status = [0, 200, 404, 500][Int.random(in: 0..<4, using: &random)]
      var exchange = Exchange()
      exchange.number = index
      exchange.host = texts.intern(host)
      exchange.path = texts.intern(path)
      exchange.apiPath = exchange.path
      exchange.method = texts.intern("GET")
      exchange.status = status
      var request = Message()
      request.host = exchange.host
      request.path = exchange.path
      request.apiPath = exchange.apiPath
      request.method = exchange.method
      request.exchange = index
      request.octets.header = Int.random(in: 10...99, using: &random)
      request.overhead = 40
      exchange.ipLength = request.ipLength
      var figures = [1, request.ipLength, 0, 0]
      number += 1
      request.number = number
      exchange.request = number
      selected.message(request, texts: texts)
      whole.add(request)
      if status != 0 {
        // An interim one before it, now and then.
        for kind in (Bool.random(using: &random) ? [MessageKind.interim, .response] : [.response]) {
          var response = request
          response.kind = kind
          response.status = kind == .interim ? 103 : status
          response.octets = MessageOctets()
          response.octets.body = Int.random(in: 0...9999, using: &random)
          number += 1
          response.number = number
          selected.message(response, texts: texts)
          whole.add(response)
          figures[2] += response.ipLength
          exchange.ipLength += response.ipLength
        }
        figures[3] = status >= 400 ? 1 : 0
        exchange.timings.wait = 1_000_000
      }
      if holds(status, host, request.octets.header) {
        count += 1
        sums[host + path, default: [0, 0, 0, 0]] = zip(sums[host + path] ?? [0, 0, 0, 0], figures).map { $0 + $1 }
      }
      open.append(exchange)
      // They become final in another order than they began in.
      if open.count > 7 { finish(open.remove(at: Int.random(in: 0..<open.count, using: &random))) }
    }
    for exchange in open { finish(exchange) }
    var totals = emptyTotals()
    totals.texts = texts
    totals.apis = [whole]
    return (selected, totals, sums, count)
  }

  private func sums(_ totals: Totals) -> [String: [Int]] {
    var sums: [String: [Int]] = [:]
    for api in totals.apis {
      let name = totals.texts.string(api.host) + totals.texts.string(api.path)
      sums[name] = [api.requests, api.request.ipLength, api.response.ipLength, api.status4xx + api.status5xx]
    }
    return sums
  }

  @Test func whatIsSelectedAddsUp() throws {
    let run = try run(#"status >= 400 && host =~ "example" || request_header_bytes < 20"#) { status, host, header in
      status >= 400 && host.contains("example") || header < 20
    }
    #expect(run.count > 50)
    let (totals, selection) = run.selected.select(in: run.whole)
    #expect(sums(totals) == run.sums)
    #expect(selection.exchanges == run.count && selection.leftOut == 400 - run.count && selection.unasked == 0)
    let selected = totals.apis.reduce(0) { $0 + $1.ipLength }
    #expect(selected + selection.leftOutLength == run.whole.apis[0].ipLength)
    #expect(totals.apis.reduce(0) { $0 + $1.wait.count } > 0)
    // In the order of names, as the APIs of all exchanges are.
    let names = totals.apis.map { APIKey($0, totals.texts) }
    #expect(names == names.sorted())
  }

  @Test(arguments: SummaryGrouping.allCases) func groupsHaveTheSameBytes(_ grouping: SummaryGrouping) throws {
    let run = try run("status == 404", grouping: grouping) { status, _, _ in status == 404 }
    let (totals, _) = run.selected.select(in: run.whole)
    let groups = grouping.groups(totals, nil, isSelected: true)
    #expect(groups.reduce(0) { $0 + $1.totals.ipLength } == totals.apis.reduce(0) { $0 + $1.ipLength })
    #expect(groups.reduce(0) { $0 + $1.totals.requests } == run.count)
    let text = Summary(
      run.whole, choices: SummaryChoices(grouping: grouping), selected: run.selected
    ).text(width: 200)
    #expect(text.contains("left out of the table above: \(400 - run.count) exchanges"))
    #expect(!text.contains("connections"))
  }

  @Test func tooManyAPIsAreAddedUpUnderNone() throws {
    var configuration = Configuration()
    configuration.apiLimit = 2
    let run = try run("status == unknown || status != unknown", configuration) { _, _, _ in true }
    let (totals, selection) = run.selected.select(in: run.whole)
    #expect(totals.apis.count == 3 && totals.apis[0].host == .none)
    #expect(totals.apis.reduce(0) { $0 + $1.ipLength } == run.whole.apis[0].ipLength)
    #expect(selection.leftOutLength == 0 && selection.exchanges == 400)
  }

  // MARK: Limits

  /// Exchanges of messages of 10 octets each, given one by one.
  private struct Run {
    var texts = TextPool()
    var selected: SelectedExchanges
    private var exchanges: [Int: Exchange] = [:]

    init(limit: Int, textLimit: Int = SelectedExchanges.textLimit) throws {
      selected = SelectedExchanges(
        try Condition("exchange > 0"), configuration: Configuration(), grouping: .contentType, limit: limit,
        textLimit: textLimit)
    }

    mutating func add(_ kind: MessageKind, to number: Int, type: String = "", host: String = "") {
      var message = Message()
      message.exchange = number
      message.kind = kind
      message.octets.header = 10
      message.contentType = texts.intern(type)
      message.host = texts.intern(host)
      exchanges[number, default: Exchange()].ipLength += message.ipLength
      selected.message(message, texts: texts)
      message.releaseTexts(of: &texts)
    }

    /// Returns which of the exchanges are selected.
    mutating func finish(_ numbers: some Sequence<Int>) -> [Int] {
      numbers.filter { number in
        var exchange = exchanges.removeValue(forKey: number) ?? Exchange()
        exchange.number = number
        exchange.started = Int64(number)
        return selected.exchange(exchange, texts: texts)
      }
    }
  }

  @Test func exchangesThatLackAMessageAreNotAsked() throws {
    var run = try Run(limit: 3)
    for number in 1...5 { run.add(.request, to: number) }
    var finished = run.finish([1])
    // There is room for one more, and the fourth exchange has lost its request.
    run.add(.response, to: 4)
    run.add(.response, to: 2)
    finished += run.finish(2...5)
    #expect(finished == [1, 3])
    #expect(run.selected.count == 2 && run.selected.asked == 2 && run.selected.unasked == 3)
    // Interim responses can be without number, and wait each for itself.
    for _ in 0..<9 { run.add(.interim, to: 6) }
    finished = run.finish([6])
    for number in 7...9 { run.add(.request, to: number) }
    finished += run.finish(7...9)
    #expect(finished == [7, 8, 9])
    let (totals, selection) = run.selected.select(in: emptyTotals())
    #expect(totals.apis.map(\.requests) == [5] && selection.exchanges == 5 && selection.unasked == 4)
  }

  @Test func textsThatWaitAreFew() throws {
    var run = try Run(limit: .max, textLimit: 1 << 20)
    func type(_ number: Int) -> String { String(repeating: "x", count: 10_000) + "\(number)" }
    // What is over leaves nothing behind.
    for number in 1...300 {
      run.add(.request, to: number, type: type(number))
      let finished = run.finish([number])
      #expect(finished == [number])
    }
    for number in 301...600 { run.add(.request, to: number, type: type(number)) }
    let count = run.finish(301...600).count
    #expect(50..<110 ~= count && run.selected.unasked == 300 - count)
    run.add(.request, to: 601, type: type(601))
    let finished = run.finish([601])
    #expect(finished == [601])
    // Names that are as long have no group of their own.
    #expect(run.selected.select(in: emptyTotals()).totals.groups.map(\.name) == [[]])
  }

  /// APIs beyond the limit are counted together, which the summary says.
  @Test func apisAreFew() throws {
    var run = try Run(limit: 1)
    let count = 2 * SelectedExchanges.apiLimit
    var finished = 0
    for number in 1...count {
      run.add(.request, to: number, host: "\(number).example")
      finished += run.finish([number]).count
    }
    #expect(finished == count)
    let totals = run.selected.select(in: emptyTotals()).totals
    // Hosts have an eighth more. One is without a name: that of the exchanges here.
    #expect(totals.apis.count == SelectedExchanges.apiLimit / 8 * 9)
    #expect(totals.apis.reduce(0) { $0 + $1.requests } == count)
    #expect(totals.anomalies.all.contains { $0.anomaly == .apiTableFull && $0.count.firstTime == Int64(count / 2) })
  }

  // MARK: JSON

  private func object(_ text: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any])
  }

  @Test(arguments: [nil, SummaryGrouping.host]) func theDocumentSaysTheSame(_ grouping: SummaryGrouping?) throws {
    let condition = #"host =~ "\"y" && status == 200"#
    let run = try run(condition, grouping: grouping) { status, host, _ in status == 200 && host.contains("\"y") }
    #expect(run.count > 10)
    var totals = run.whole
    totals.span = 1_000_000_000...3_500_000_001
    totals.anomalies.note(.tcpHole, connection: 2)
    let facts = RunFacts(command: "analyze", toolVersion: "1.2.3", captures: ["a\"\u{1b}\n.pcap"])
    let text = Summary(
      totals, notes: ["a \"note\""], choices: SummaryChoices(grouping: grouping, top: 0), facts: facts,
      selected: run.selected
    ).document(written: ("fold\\er", ["apis.csv"]))
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    let object = try object(text)
    #expect(object["format"] as? String == "sniffer-summary" && object["version"] as? Int == 1)
    #expect((object["span"] as? [String: Any])?["duration_ms"] as? Double == 2500.000001)
    #expect(object["notes"] as? [String] == ["a \"note\""])
    let selection = try #require(object["where"] as? [String: Any])
    #expect(selection["condition"] as? String == TextEscaping.string(Array(condition.utf8)))
    #expect(selection["exchanges"] as? Int == run.count)
    let rows = try #require((object["apis"] as? [String: Any])?["rows"] as? [[String: Any]])
    #expect(rows.reduce(0) { $0 + ($1["requests"] as? Int ?? 0) } == run.count)
    #expect(Set(rows.flatMap(\.keys)) == Set(APIRow.columns(Configuration().grouping).map(\.name)))
    let sum = try #require(object["totals"] as? [String: Any])
    #expect(sum["ip_bytes"] as? Int == run.sums.values.reduce(0) { $0 + $1[1] + $1[2] })
    let groups = (object["groups"] as? [String: Any])?["rows"] as? [[String: Any]]
    #expect((groups == nil) == (grouping == nil))
    if let groups { #expect(groups.map { $0["ip_bytes"] as? Int } == [sum["ip_bytes"] as? Int]) }
    #expect(object["balanced"] as? Bool == true)
    #expect((object["report"] as? [String: Any])?["folder"] as? String == "fold\\\\er")
    // Who hides names hides the condition, too.
    let hidden = Summary(totals, redaction: Redaction { _ in [1, 2, 3, 4] }, selected: run.selected)
    #expect(!hidden.document().contains("=~") && !hidden.text(width: 200).contains("=~"))
  }

  @Test func topAndSort() throws {
    var texts = TextPool()
    var totals = emptyTotals()
    for index in 0..<40 {
      var api = api("/\(index % 10)\(index)", up: 10, down: index * 10, requests: 40 - index, in: &texts)
      if index % 4 == 0 { for value in 0...index { api.wait.record(Int64(value) * 1_000_000) } }
      totals.apis.append(api)
    }
    totals.texts = texts
    func names(_ choices: SummaryChoices) throws -> [String] {
      let rows = try (object(Summary(totals, choices: choices).document())["apis"] as? [String: Any])?["rows"]
      return (rows as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
    }
    #expect(try names(SummaryChoices()).count == 30)
    #expect(try names(SummaryChoices(top: 0)).count == 40)
    #expect(try names(SummaryChoices(top: 3)) == ["/939", "/838", "/737"])
    #expect(try names(SummaryChoices(sort: "requests", top: 2)) == ["/00", "/11"])
    #expect(try names(SummaryChoices(sort: "path", top: 2)) == ["/00", "/010"])
    let waits = try names(SummaryChoices(sort: "wait_ms_p95", top: 0))
    #expect(waits.prefix(2) == ["/636", "/232"] && waits[10] == "/11")
    let lines = Summary(totals, choices: SummaryChoices(sort: "wait_ms_p95", top: 11)).text(width: 150)
      .split(separator: "\n")
    #expect(lines[0].hasSuffix("wait_ms_p95") && lines[1].hasSuffix("  35") && lines[11].hasSuffix("%"))
    for name in SummaryChoices().columns { #expect(SummaryChoices(sort: name).fault == nil) }
    #expect(SummaryChoices(sort: "request_byte").fault?.contains("did you mean request_bytes?") == true)
    #expect(SummaryChoices(sort: "totl").fault?.contains("did you mean total?") == true)
    #expect(SummaryChoices(grouping: .host, sort: "requests").fault == nil)
    #expect(SummaryChoices(grouping: .host, sort: "path").fault != nil)
  }

  @Test func captureSpanAndDurationAreSaid() {
    var totals = emptyTotals()
    totals.span = 1_700_000_000_000_000_000...1_700_093_784_250_000_000
    let facts = RunFacts(command: "analyze", captures: ["-", "b\u{1b}.pcap", "c", "d"])
    let text = Summary(totals, facts: facts).text(width: 200)
    #expect(text.contains("\ncaptures: standard input, b\\x1b.pcap, c and 1 more\n"), "\(text)")
    #expect(text.contains("\nspan: 1 d 2 h 3 min 4 s, from 2023-11-14T22:13:20Z to 2023-11-16T00:16:24Z\n"), "\(text)")
    #expect(RunFacts.duration(5...5) == "0 s" && RunFacts.duration(0...59_999_000_000) == "59.999 s")
    #expect(RunFacts.duration(Int64.min...Int64.max).hasSuffix(" s"))
  }
}
