import Testing

@testable import HTTPReassembly
@testable import Reports

@Suite struct SummaryTests {
  private func totals(apis count: Int = 50) -> Totals {
    var texts = TextPool()
    var apis: [APITotals] = []
    for index in 0..<count {
      let path = "/v1/accounts/\(index)/" + String(repeating: "segment/", count: index % 9) + "ende"
      apis.append(api(path, up: 1000 + index * 37, down: index * index * 100_003, requests: index + 1, in: &texts))
    }
    apis.append(api("/日本語/größe/\u{202e}\u{1b}[31mx", up: 7, down: 9_000_000_000, in: &texts))
    apis.append(APITotals())
    var ledger = Ledger(packets: 1234, original: 1_500_000, droppedPackets: 3, missing: 17)
    ledger.charge(500_000, to: .link)
    ledger.charge(1_000_000, to: .body)
    var anomalies = AnomalyLog()
    for anomaly in Anomaly.allCases {
      Array("\u{1b}[2J\r\n日本 \(anomaly.rawValue) and then some more of it".utf8)
        .withOctets { anomalies.note(anomaly, connection: 12_345, example: $0) }
    }
    return Totals(ledger: ledger, anomalies: anomalies, apis: apis, texts: texts)
  }

  @Test(arguments: [32, 40, 60, 80, 100, 120, 200], [0, 5, 30, 1000])
  func noLineIsWiderThanTheTerminal(width: Int, limit: Int) {
    let text = Summary(totals()).text(width: width, apiLimit: limit)
    for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width) }
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    #expect(!text.contains("\u{202e}"))
    #expect(text.hasSuffix("\n\nledger balanced: 1500000 bytes\n"))
  }

  @Test(arguments: [0, 1, 7, 30, 51, 52, 1000])
  func whatIsShownAddsUp(limit: Int) throws {
    let totals = totals()
    let text = Summary(totals).text(width: 160, apiLimit: limit)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let table = lines.prefix { !$0.isEmpty }.dropFirst()
    var sums = [0, 0, 0, 0]
    var last: [Int] = []
    for line in table {
      let cells = line.split(separator: "  ").map { $0.filter { $0 != " " } }
      last = cells.dropFirst().prefix(4).compactMap { Int($0.filter { $0 != "," }) }
      try #require(last.count == 4)
      if line != table.last { for index in 0..<4 { sums[index] += last[index] } }
      #expect(last[1] + last[2] == last[3])
    }
    #expect(sums == last)
    #expect(last[3] == totals.apis.reduce(0) { $0 + $1.request.ipLength + $1.response.ipLength })
    #expect(table.count == min(limit, 52) + (limit < 52 ? 2 : 1))
  }

  @Test func aSmallOneAsAWhole() {
    var texts = TextPool()
    var totals = emptyTotals()
    totals.apis = [
      api("/a", up: 100, down: 200, in: &texts), api("/b", up: 1000, down: 20_000, requests: 3, in: &texts),
    ]
    totals.texts = texts
    totals.ledger = Ledger(packets: 20, original: 22_000, truncatedPackets: 1)
    totals.ledger.charge(21_300, to: .body)
    totals.ledger.charge(699, to: .network)
    totals.ledger.charge(1, to: .link)
    totals.anomalies.note(.tcpHole, connection: 2)
    #expect(
      Summary(totals).text(width: 80) == """
        API                requests     up    down   total   share  header
        api.example.com/b         3  1,000  20,000  21,000   98.6%   11.9%
        api.example.com/a         1    100     200     300    1.4%   23.3%
        total                     4  1,100  20,200  21,300  100.0%   12.1%

        class     bytes   share
        link          1   <0.1%
        network     699    3.2%
        body     21,300   96.8%
        total    22,000  100.0%

        packets: 20
        packets cut by the snap length: 1

        anomaly   count  connection
        tcp_hole      1           2
        tcp_hole: Bytes of a connection were never captured. Rows over the gap are
        inferred or at_least; their bytes are lower bounds. Capture again with a larger
        buffer, or nearer to the app.

        ledger balanced: 22000 bytes

        """)
  }

  @Test func whatIsNotSureIsSaid() {
    var totals = emptyTotals()
    totals.apis = [api("/a", up: 100, down: 200, in: &totals.texts), APITotals()]
    totals.apis[0].inferred = 1234
    totals.apis[1].response.octets.body = 5678
    let lines = Summary(totals).text(width: 80).split(separator: "\n")
    #expect(lines.contains("1,234 bytes were assigned to an API by inference"))
    #expect(lines.contains("5,678 bytes of messages could not be assigned to an API"))
    #expect(lines.contains { $0.hasPrefix("(unknown)") })
    totals.apis = [totals.apis[0]]
    totals.apis[0].inferred = 0
    #expect(!Summary(totals).text(width: 80).contains("to an API"))
  }

  @Test func theOrderIsByBytes() {
    let lines = Summary(totals()).text(width: 200).split(separator: "\n")
    #expect(lines[1].contains("日本語"))
    #expect(lines[2].contains("/v1/accounts/49/"))
  }

  @Test func aLedgerThatDoesNotBalance() {
    var ledger = Ledger(packets: 1, original: 100)
    ledger.charge(99, to: .link)
    #expect(Summary.lastLine(ledger) == "ledger does not balance: 99 of 100 bytes in a class, difference 1")
    var totals = emptyTotals()
    totals.ledger = ledger
    #expect(Summary(totals).text().hasSuffix("\n" + Summary.lastLine(ledger) + "\n"))
  }

  @Test func nothingAtAll() {
    #expect(
      Summary(emptyTotals()).text() == """
        No HTTP messages.

        class  bytes  share
        total      0

        packets: 0

        ledger balanced: 0 bytes

        """)
  }

  @Test func droppedPacketsAreSaid() {
    #expect(Summary(totals()).text(width: 80).contains("\nincomplete: packets dropped by the capture: 3\n"))
  }

  @Test func colourOnlyWhenAsked() {
    let plain = Summary(totals()).text(width: 80)
    let coloured = Summary(totals()).text(width: 80, colour: true)
    #expect(!plain.contains("\u{1b}"))
    #expect(coloured.hasSuffix("\u{1b}[32mledger balanced: 1500000 bytes\u{1b}[0m\n"))
    var stripped = coloured
    for code in [0, 1, 2, 31, 32, 33] { stripped = stripped.replacing("\u{1b}[\(code)m", with: "") }
    #expect(stripped == plain)
  }

  @Test func aTerminalSaysHowLargeItIs() {
    let terminal = Terminal(isTerminal: true, width: 40, height: 20, takesEscapeSequences: true, takesColour: false)
    #expect(Summary(totals()).text(for: terminal) == Summary(totals()).text(width: 40, apiLimit: 10))
    #expect(Summary(totals()).text(for: Terminal(isTerminal: false)) == Summary(totals()).text(width: 200))
  }

  @Test func apisByMethod() {
    var texts = TextPool()
    var named = api("/a", up: 1, down: 1, in: &texts)
    named.method = texts.intern("GET")
    var totals = emptyTotals()
    totals.apis = [named]
    totals.texts = texts
    #expect(Summary(totals).text().contains("\nGET api.example.com/a "))
  }

  @Test(arguments: [
    ("abcdefghij", 10, "abcdefghij"), ("abcdefghij", 9, "abcd…ghij"), ("abcdefghij", 4, "ab…j"),
    ("abcdefghij", 1, "…"), ("abcdefghij", 0, ""), ("日本語日本語", 7, "日…本語"), ("日本語日本語", 6, "日…語"),
    ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func theMiddleIsLeftOut(_ text: String, _ width: Int, _ expected: String) {
    let short = text.shortened(to: width)
    #expect(short == expected)
    #expect(DisplayWidth.of(short) <= width)
  }

  @Test(arguments: [("a", 1), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("😀", 2), ("ｱ", 1), ("Ａ", 2), ("한글", 4), ("…", 1)])
  func widths(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  /// A capture that is mostly closed: a table has its hosts, and two lines say how much it is and what to do.
  @Test func closedTrafficHasATableAndTwoLines() throws {
    var closed = emptyTotals()
    func host(_ name: String, _ connections: Int, quic: Int = 0, up: Int, down: Int) -> SecureHostTotals {
      var host = SecureHostTotals()
      host.serverName = Array(name.utf8)
      (host.connections, host.quicConnections, host.up, host.down) = (connections, quic, up, down)
      return host
    }
    closed.secureHosts = [
      host("a.example", 2, up: 1000, down: 20_000), host("b.example", 3, quic: 1, up: 500, down: 600),
      host("c.example", 1, up: 1, down: 1), host("d.example", 1, up: 1, down: 1), host("", 1, up: 1, down: 1),
    ]
    func lines(_ totals: Totals) -> [String] {
      let lines = Summary(totals).text(width: 400).split(separator: "\n").map(String.init)
      let table = lines[0].hasPrefix("closed host ") ? lines.prefix { !$0.hasPrefix("total ") }.count + 1 : 0
      #expect(table == (totals.secureHosts.isEmpty ? 0 : totals.secureHosts.count + 2))
      return Array(lines[table...].prefix(2))
    }
    #expect(
      lines(closed) == [
        "No HTTP messages: 7 TLS and 1 QUIC connections to a.example, b.example, c.example, 1 more, "
          + "1,503 bytes up and 20,603 bytes down.",
        "To see inside, pass the app's TLS key log: --keys FILE (sniffer guide says how to get one).",
      ])
    let table = Summary(closed).text(width: 80, apiLimit: 2).split(separator: "\n").prefix(5)
    #expect(table[1].split(separator: " ").map(String.init) == ["a.example", "2", "1,000", "20,000", "21,000"])
    #expect(table[3].split(separator: " ").suffix(4).map(String.init) == ["3", "3", "3", "6"])
    #expect(table[4].hasPrefix("total ") && table[4].contains("22,106"))
    // The source of process names tells the platform.
    closed.secureHosts[4].processSource = .pcapdroid
    #expect(lines(closed)[1].hasSuffix("(sniffer guide android says how to get one)."))
    closed.secureHosts[3].processSource = .etl2pcapng
    #expect(lines(closed)[1].hasSuffix("(sniffer guide says how to get one)."))
    closed.secureHosts = [host("q.example", 1, quic: 1, up: 10, down: 20)]
    #expect(lines(closed)[0] == "No HTTP messages: 1 QUIC connection to q.example, 10 bytes up and 20 bytes down.")
    #expect(lines(closed)[1].contains("--keys FILE"))
    // Where most could be read, nothing is said; where it is less, it is said below the table.
    var read = totals(apis: 3)
    read.secureHosts = [host("a.example", 1, up: 10, down: 20)]
    #expect(!Summary(read).text().contains("Most is closed"))
    read.secureHosts = [host("a.example", 1, up: 10, down: 20_000_000_000)]
    #expect(Summary(read).text().contains("Most is closed: 1 TLS connection to a.example"))
    #expect(lines(emptyTotals())[0] == "No HTTP messages.")
  }
}
