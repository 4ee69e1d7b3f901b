import HTTPReassembly
import Testing

@testable import Reports

@Suite struct LiveViewTests {
  private let sizes = [
    (20, 5), (20, 10), (32, 6), (40, 9), (60, 12), (80, 24), (100, 30), (119, 40), (120, 40), (200, 60), (1, 1), (3, 2),
    (10, 3), (20, 4),
  ]

  /// Totals of APIs by name, octets up and down, and requests.
  private func totals(
    _ apis: [(String, up: Int, down: Int, requests: Int)], packets: Int = 10, dropped: Int = 0
  ) -> Totals {
    var totals = emptyTotals()
    for item in apis {
      totals.apis.append(api(item.0, up: item.up, down: item.down, requests: item.requests, in: &totals.texts))
    }
    totals.ledger = Ledger(packets: packets, original: 1000, droppedPackets: dropped)
    totals.ledger.charge(1000, to: .body)
    return totals
  }

  private func many(_ count: Int, times: Int = 1, dropped: Int = 0) -> Totals {
    totals(
      (0..<count).map { ("/v1/\($0)", up: $0 * 100 * times, down: $0 * 90_000 * times, requests: $0 * times) },
      dropped: dropped)
  }

  private func names(_ view: LiveView) -> [String] { view.arranged.map { view.apis[$0].name } }

  private func press(_ view: inout LiveView, _ keys: String, height: Int = 24) -> LiveView.Action {
    view.key(Array(keys.utf8), height: height)
  }

  private func stripped(_ line: String) -> String {
    [0, 1, 2, 7, 31, 32, 33].reduce(line) { $0.replacing("\u{1b}[\($1)m", with: "") }
  }

  // MARK: Drawing

  @Test func aFrameIsNeverLargerThanTheScreen() {
    var hostile = totals([
      ("/\u{1b}[2J\r\n\u{202e}gpj", up: 1, down: 1 << 60, requests: 1 << 60),
      ("/日本語日本語日本語日本語/😀😀😀😀e\u{301}\u{301}", up: 1 << 60, down: 0, requests: 1),
      ("/" + String(repeating: "x", count: 70_000), up: 1, down: 1, requests: 1),
    ])
    hostile.apis.append(APITotals())
    hostile.ledger = Ledger(packets: .max, original: .max, droppedPackets: .max, pending: .max)
    let interfaces = ["eth0", "\u{1b}]0;x\u{7}", String(repeating: "日", count: 50)]
    for totals in [hostile, many(200), emptyTotals()] {
      for keys in [
        "", "p", "?", "j\r", "h", "hj\r", "ew", "/日本\u{202e}", "/v1\r", "r", "a", "GG\u{1b}[F",
        "/" + String(repeating: "y", count: 300),
      ] {
        var view = LiveView(interfaces: interfaces)
        view.update(totals, at: 1_500_000_000, connections: .max)
        for (width, height) in sizes {
          _ = press(&view, keys, height: height)
          for colour in [false, true] {
            let lines = view.lines(width: width, height: height, colour: colour)
            #expect(lines.count == height)
            for line in lines {
              let text = stripped(line)
              #expect(DisplayWidth.of(text) <= width, "\(width)×\(height): \(text)")
              #expect(colour || text == line)
              #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
              #expect(!text.contains("\u{202e}"))
            }
          }
        }
      }
    }
  }

  @Test func aFrameAsAWhole() {
    var view = LiveView(interfaces: ["eth0", "lo"])
    view.update(
      totals([("/a", up: 100, down: 200, requests: 1), ("/b", up: 1000, down: 20_000, requests: 3)], dropped: 2),
      at: 2_000_000_000, connections: 1)
    let lines = view.lines(width: 80, height: 10, colour: false)
    #expect(
      lines.joined(separator: "\n") == """
        DROPPED 2  0:00:02  eth0, lo  ledger balanced
        10 packets  5 packets/s  1.0 kB  500 B/s  connections: 1
        API                         requests  errors      p95     down   total▼   down/s
        api.example.com/b                  3       0             20 kB    21 kB    10 kB
        api.example.com/a                  1       0             200 B    300 B    100 B




        q quit  p pause  ? keys  / filter  Enter opens  h hosts
        """)
  }

  @Test func aFrameOverwritesTheOneBefore() {
    var view = LiveView()
    view.update(many(3), at: 1_000_000_000, connections: 0)
    let frame = view.frame(width: 40, height: 6, colour: false)
    let lines = view.lines(width: 40, height: 6, colour: false)
    #expect(
      frame == lines.enumerated().map { "\u{1b}[\($0 + 1);1H\u{1b}[K\($1)" }.joined() + "\u{1b}[J")
    #expect(!frame.contains("\u{1b}[2J"))
  }

  @Test func whatMattersStaysOnANarrowScreen() {
    var view = LiveView()
    view.update(many(30, dropped: 7), at: 1_000_000_000, connections: 0)
    _ = press(&view, "p")
    let lines = view.lines(width: 20, height: 5, colour: true)
    #expect(lines[0].contains("\u{1b}[31mDROPPED 7\u{1b}[0m"))
    #expect(lines[0].contains("PAUSED"))
    #expect(stripped(lines[1]) == "API           total▼")
    #expect(lines[4].contains("q quit"))
  }

  @Test func aLedgerThatIsOff() {
    var totals = emptyTotals()
    totals.ledger = Ledger(packets: 1, original: 100)
    totals.ledger.charge(99, to: .link)
    var view = LiveView()
    view.update(totals, at: 1, connections: 0)
    #expect(view.lines(width: 80, height: 24, colour: false)[0].contains("LEDGER OFF BY 1"))
  }

  @Test func whatWentWrongIsSeen() {
    var view = LiveView(interfaces: ["eth0"])
    view.notice = "eth1: \u{1b}[2J" + String(repeating: "gone ", count: 50)
    view.update(emptyTotals(), at: 1, connections: 0)
    for width in [20, 40, 80, 200] {
      let line = view.lines(width: width, height: 24, colour: false)[0]
      #expect(line.hasPrefix("eth1: "), "\(line)")
      #expect(DisplayWidth.of(line) <= width)
    }
  }

  @Test func whatHasNoClassYetIsNotOff() {
    var totals = emptyTotals()
    totals.ledger = Ledger(packets: 1, original: 100, pending: 40)
    totals.ledger.charge(60, to: .link)
    var view = LiveView()
    view.update(totals, at: 1, connections: 0)
    #expect(view.lines(width: 80, height: 24, colour: false)[0].contains("ledger balanced, 40 B pending"))
  }

  // MARK: Rates

  @Test func ratesAreThoseSinceTheLastLook() {
    var view = LiveView()
    view.update(
      totals([("/a", up: 100, down: 1000, requests: 1)], packets: 4), at: 2_000_000_000, connections: 0)
    #expect(view.apis[0].upRate == 50)
    #expect(view.apis[0].downRate == 500)
    #expect(view.readings.packetRate == 2)
    // Another API before it, so that handles and positions differ; and one has less than before.
    let next = [("/0", up: 30, down: 60, requests: 1), ("/a", up: 40, down: 4000, requests: 2)]
    view.update(totals(next, packets: 34), at: 5_000_000_000, connections: 0)
    #expect(view.apis.map(\.upRate) == [10, 0])
    #expect(view.apis.map(\.downRate) == [20, 1000])
    #expect(view.readings.packetRate == 10)
    #expect(view.readings.octetRate == 0)
    // No time has passed.
    view.update(totals(next, packets: 50), at: 5_000_000_000, connections: 0)
    #expect(view.apis.map(\.downRate) == [20, 1000])
    #expect(view.readings.packetRate == 10)
  }

  @Test func methodsAreAPIsOfTheirOwn() {
    var both = totals([("/a", up: 10, down: 0, requests: 1), ("/a", up: 20, down: 0, requests: 1)])
    both.apis[0].method = both.texts.intern("GET")
    both.apis[1].method = both.texts.intern("POST")
    var view = LiveView()
    view.update(both, at: 1_000_000_000, connections: 0)
    #expect(view.apis.map(\.upRate) == [10, 20])
    #expect(view.apis.map(\.name) == ["GET api.example.com/a", "POST api.example.com/a"])
  }

  // MARK: Keys

  @Test(arguments: [
    ("e", "cabd"), ("w", "dabc"), ("b", "cbad"), ("r", "dcab"), ("u", "abcd"), ("d", "cbda"), ("n", "bacd"),
    ("a", "abcd"),
  ])
  func orders(key: String, expected: String) {
    var view = LiveView()
    view.update(
      totals([
        ("/a", up: 90, down: 0, requests: 8), ("/b", up: 80, down: 100, requests: 9),
        ("/c", up: 70, down: 200, requests: 7),
      ]), at: 1_000_000_000, connections: 0)
    var last = totals([
      ("/a", up: 93, down: 0, requests: 8), ("/b", up: 82, down: 100, requests: 9),
      ("/c", up: 74, down: 200, requests: 7),
      ("/d", up: 5, down: 6, requests: 1),
    ])
    last.apis[2].status4xx = 1
    last.apis[2].status5xx = 1
    last.apis[0].status5xx = 1
    last.apis[3].wait.record(5_000_000)
    view.update(last, at: 2_000_000_000, connections: 0)
    #expect(press(&view, key) == .continue)
    #expect(names(view).map { String($0.suffix(1)) }.joined() == expected)
    let header = view.lines(width: 100, height: 24, colour: false)[2]
    #expect(header.contains("▼"))
  }

  @Test func filtering() {
    var view = LiveView()
    view.update(many(12), at: 1_000_000_000, connections: 0)
    _ = press(&view, "/V1/1")
    #expect(names(view) == ["api.example.com/v1/11", "api.example.com/v1/10", "api.example.com/v1/1"])
    #expect(view.lines(width: 80, height: 10, colour: false)[9].hasPrefix("filter: V1/1_"))
    _ = press(&view, "1q")
    #expect(view.filter == "V1/11q")
    #expect(names(view).isEmpty)
    #expect(view.lines(width: 80, height: 10, colour: false)[3] == "No API has this in its name.")
    _ = press(&view, "\u{7f}\r")
    #expect(!view.isEnteringFilter)
    #expect(names(view) == ["api.example.com/v1/11"])
    #expect(view.lines(width: 80, height: 10, colour: false)[9].contains("filter: V1/11"))
    // What comes next is filtered too.
    view.update(many(12, times: 2), at: 2_000_000_000, connections: 0)
    #expect(names(view) == ["api.example.com/v1/11"])
    _ = press(&view, "/\u{1b}")
    _ = view.key([])
    #expect(view.filter.isEmpty)
    #expect(!view.isEnteringFilter)
    #expect(names(view).count == 12)
    _ = press(&view, "/abc\u{15}")
    #expect(view.filter.isEmpty)
    #expect(press(&view, "\u{3}") == .quit)
  }

  @Test(arguments: ["p", " "])
  func pausing(key: String) {
    var view = LiveView()
    view.update(many(3), at: 1_000_000_000, connections: 0)
    _ = press(&view, key)
    let before = view.lines(width: 80, height: 10, colour: false)
    #expect(before[0].hasPrefix("PAUSED  0:00:01"))
    view.update(many(5, times: 3, dropped: 1), at: 2_000_000_000, connections: 0)
    let paused = view.lines(width: 80, height: 10, colour: false)
    #expect(paused[2...] == before[2...])
    #expect(paused[0].hasPrefix("PAUSED  DROPPED 1  0:00:02"))
    _ = press(&view, key)
    #expect(!view.isPaused)
    #expect(names(view).count == 5)
  }

  @Test func scrolling() {
    var view = LiveView()
    view.update(many(30), at: 1_000_000_000, connections: 0)
    func first(_ height: Int = 14) -> String {
      view.lines(width: 80, height: height, colour: false)[height < 10 ? 2 : 3]
    }
    #expect(first().hasPrefix("api.example.com/v1/29 "))
    func chosen() -> String { view.chosen.map { String(decoding: $0.path, as: UTF8.self) } ?? "" }
    // What is chosen goes down the screen, and then takes the rows along.
    _ = press(&view, "jj\u{1b}[B", height: 14)
    #expect(chosen() == "/v1/27" && first().hasPrefix("api.example.com/v1/29 "))
    _ = press(&view, "k\u{1b}OA", height: 14)
    #expect(chosen() == "/v1/29")
    _ = press(&view, String(repeating: "j", count: 11), height: 14)
    #expect(chosen() == "/v1/18" && first().hasPrefix("api.example.com/v1/27 "))
    _ = press(&view, "\u{1b}[6~", height: 14)
    #expect(chosen() == "/v1/8" && first().hasPrefix("api.example.com/v1/17 "))
    #expect(view.lines(width: 80, height: 14, colour: false)[13].hasPrefix("13-22 of 30"))
    _ = press(&view, String(repeating: "j", count: 100), height: 14)
    #expect(chosen() == "/v1/0")
    #expect(first().hasPrefix("api.example.com/v1/9 "))
    // A screen that grew shows what there is room for, and the next key starts from there.
    #expect(first(34).hasPrefix("api.example.com/v1/29 "))
    #expect(first(24).hasPrefix("api.example.com/v1/19 "))
    _ = press(&view, "k", height: 24)
    #expect(chosen() == "/v1/1" && first(24).hasPrefix("api.example.com/v1/19 "))
    _ = press(&view, "\u{1b}[H", height: 14)
    #expect(first().hasPrefix("api.example.com/v1/29 "))
    _ = press(&view, "\u{1b}[4~", height: 14)
    #expect(first().hasPrefix("api.example.com/v1/9 "))
    // Fewer than before.
    view.update(many(4), at: 2_000_000_000, connections: 0)
    #expect(first().hasPrefix("api.example.com/v1/3 "))
    #expect(press(&view, "xyz") == .continue)
    #expect(press(&view, "q") == .quit)
  }

  // MARK: Hosts, an API, keys

  /// Exchanges of `/v1/0` to `/v1/4`, the last of which has the number `count`.
  private func recent(_ count: Int) -> RecentExchanges {
    var texts = TextPool()
    var recent = RecentExchanges(grouping: Configuration().grouping)
    for number in 1...count {
      var exchange = Exchange()
      exchange.number = number
      exchange.host = texts.intern("api.example.com")
      exchange.apiPath = texts.intern("/v1/\(number % 5)")
      exchange.path = texts.intern("/v1/\(number % 5)?\u{1b}\(number)")
      exchange.method = texts.intern("GET")
      exchange.status = number % 2 == 0 ? 200 : 404
      exchange.started = Int64(number) * 1_000_000_000
      exchange.ipLength = 1000 + number
      exchange.timings.wait = Int64(number) * 100_000
      recent.add(exchange, texts: texts)
    }
    return recent
  }

  @Test func enterOpensAnAPIAndEscapeGoesBack() {
    var view = LiveView()
    view.update(many(5), at: 1_000_000_000, connections: 0, recent: recent(20))
    func text(_ height: Int = 24) -> [String] { view.lines(width: 80, height: height, colour: false) }
    let table = text()
    _ = press(&view, "j\r")
    #expect(view.opened != nil && view.chosen == view.opened)
    let lines = text()
    #expect(lines[2] == "api.example.com/v1/4")
    #expect(lines[3].contains("requests: 4"))
    #expect(lines[7].hasPrefix("time (UTC)") && lines[7].contains("status"))
    // The last one first; what is hostile is escaped.
    #expect(lines[8].hasPrefix("00:00:19.000") && lines[8].contains("404") && lines[8].hasSuffix("GET /v1/4?\\x1b19"))
    #expect(lines[8...].filter { $0.hasPrefix("00:00:") }.count == 4)
    #expect(lines[23].hasPrefix("Esc back"))
    // It goes on while it is open.
    view.update(many(5, times: 2), at: 2_000_000_000, connections: 0, recent: recent(5000))
    #expect(text()[8].hasPrefix("01:23:19.000"))
    #expect(text(12).count == 12)
    _ = press(&view, "\u{1b}")
    _ = view.key([])
    #expect(view.opened == nil && text()[2] == table[2])
    // Without a choice the first row is opened; what is not there any more is an empty screen.
    _ = press(&view, "\u{1b}")
    _ = view.key([])
    #expect(view.chosen == nil)
    _ = press(&view, "\r")
    #expect(text()[2] == "api.example.com/v1/4")
    view.update(totals([]), at: 3_000_000_000, connections: 0)
    #expect(text()[2...22].allSatisfy { $0.isEmpty })
  }

  /// Most of what was answered in the last seconds is not final: its figures are there all the same.
  @Test func whatIsNotFinalIsThere() {
    var texts = TextPool()
    var messages: [Message] = []
    for exchange in 1...3 {
      var message = Message()
      message.exchange = exchange
      message.host = texts.intern("api.example.com")
      message.path = texts.intern("/v1/4")
      message.apiPath = message.path
      message.method = texts.intern("PUT")
      message.octets.header = 100
      message.firstTime = Int64(exchange) * 1_000_000_000
      message.lastTime = message.firstTime + 1
      messages.append(message)
      guard exchange < 3 else { break }
      message.kind = .response
      message.status = 503
      message.firstTime += 7_000_001
      messages.append(message)
    }
    var recent = RecentExchanges(grouping: Configuration().grouping)
    recent.look { body in for message in messages { body(message, texts) } }
    var view = LiveView()
    view.update(many(5), at: 1_000_000_000, connections: 0, recent: recent)
    #expect(view.apis.filter { $0.key.path == Array("/v1/4".utf8) }.map(\.p95) == [7_000_000])
    _ = press(&view, "\r")
    let lines = view.lines(width: 80, height: 24, colour: false)
    #expect(lines[3].contains("wait: p50 7.0 ms, p95 7.0 ms"))
    #expect(lines[8].hasPrefix("00:00:03.000") && lines[8].contains("open") && lines[8].contains(" 100 "))
    #expect(lines[9].contains("503") && lines[9].contains(" 200 ") && lines[9].contains("7.0 ms"))
    recent.look { _ in }
    #expect(recent.open.isEmpty)
  }

  @Test func onlyTheLastExchangesAreKept() {
    let recent = recent(RecentExchanges.limit + 1000)
    let key = APIKey(host: Array("api.example.com".utf8), path: [])
    let all = recent.last(100_000, of: LiveJoining.hosts.key(of: key), .hosts)
    #expect(all.count == RecentExchanges.limit)
    #expect(all.map(\.octets) == (1001...RecentExchanges.limit + 1000).reversed().map { 1000 + $0 })
    #expect(recent.last(3, of: key, .none).isEmpty)
  }

  @Test func hostsAddUp() {
    var view = LiveView()
    var totals = many(30)
    totals.apis[3].host = totals.texts.intern("other.example.com")
    totals.apis[3].status4xx = 2
    for index in totals.apis.indices { totals.apis[index].wait.record(Int64(index) * 1_000_000) }
    view.update(totals, at: 1_000_000_000, connections: 0)
    let apis = view.apis
    _ = press(&view, "h")
    #expect(names(view) == ["api.example.com", "other.example.com"])
    #expect(view.apis.reduce(0) { $0 + $1.total } == apis.reduce(0) { $0 + $1.total })
    #expect(view.apis.map(\.errors) == [0, 2] && view.apis.map(\.wait.count) == [29, 1])
    #expect(view.apis[0].p95 == 28_000_000)
    let lines = view.lines(width: 80, height: 10, colour: false)
    #expect(lines[2].hasPrefix("host ") && lines[3].hasPrefix("api.example.com "))
    _ = press(&view, "\r")
    #expect(view.lines(width: 80, height: 10, colour: false)[2] == "api.example.com")
    _ = press(&view, "h\u{1b}")
    _ = view.key([])
    _ = press(&view, "h")
    #expect(names(view).count == 30)
  }

  @Test(arguments: [(80, 24), (40, 12), (140, 40)]) func keysAreListed(_ width: Int, _ height: Int) {
    var view = LiveView()
    view.update(many(3), at: 1_000_000_000, connections: 0)
    _ = press(&view, "?")
    let lines = view.lines(width: width, height: height, colour: false)
    let text = lines.joined(separator: "\n")
    #expect(text.contains("Enter") && lines.count == height)
    for order in LiveOrder.allCases where width > 40 {
      let isListed = lines.contains { line in
        line.split(separator: " ").contains(Substring(String(order.key))) && line.contains(order.word)
      }
      #expect(isListed)
    }
    _ = press(&view, "?")
    #expect(!view.showsKeys && press(&view, "?q") == .quit)
  }
}
