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
    [0, 1, 2, 31, 32, 33].reduce(line) { $0.replacing("\u{1b}[\($1)m", with: "") }
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
      for keys in ["", "p", "/日本\u{202e}", "/v1\r", "r", "a", "GG\u{1b}[F", "/" + String(repeating: "y", count: 300)] {
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
        API                        requests       up     down   total▼     up/s   down/s
        api.example.com/b                 3   1.0 kB    20 kB    21 kB    500 B    10 kB
        api.example.com/a                 1    100 B    200 B    300 B     50 B    100 B




        q quit  p pause  / filter  sort: b bytes r rate u up d down n requests a name
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
    ("b", "cbad"), ("r", "dcab"), ("u", "abcd"), ("d", "cbda"), ("n", "bacd"), ("a", "abcd"),
  ])
  func orders(key: String, expected: String) {
    var view = LiveView()
    view.update(
      totals([
        ("/a", up: 90, down: 0, requests: 8), ("/b", up: 80, down: 100, requests: 9),
        ("/c", up: 70, down: 200, requests: 7),
      ]), at: 1_000_000_000, connections: 0)
    view.update(
      totals([
        ("/a", up: 93, down: 0, requests: 8), ("/b", up: 82, down: 100, requests: 9),
        ("/c", up: 74, down: 200, requests: 7),
        ("/d", up: 5, down: 6, requests: 1),
      ]), at: 2_000_000_000, connections: 0)
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
    _ = press(&view, "jj\u{1b}[B", height: 14)
    #expect(first().hasPrefix("api.example.com/v1/26 "))
    _ = press(&view, "k\u{1b}OA", height: 14)
    #expect(first().hasPrefix("api.example.com/v1/28 "))
    _ = press(&view, "\u{1b}[6~", height: 14)
    #expect(first().hasPrefix("api.example.com/v1/18 "))
    #expect(view.lines(width: 80, height: 14, colour: false)[13].hasPrefix("12-21 of 30"))
    _ = press(&view, String(repeating: "j", count: 100), height: 14)
    #expect(first().hasPrefix("api.example.com/v1/9 "))
    // A screen that grew shows what there is room for, and the next key starts from there.
    #expect(first(34).hasPrefix("api.example.com/v1/29 "))
    #expect(first(24).hasPrefix("api.example.com/v1/19 "))
    _ = press(&view, "k", height: 24)
    #expect(first(24).hasPrefix("api.example.com/v1/20 "))
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
}
