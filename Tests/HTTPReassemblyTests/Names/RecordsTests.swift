import HTTPReassembly
import TestSupport
import Testing

/// Texts, templates and start-lines, as far as other targets of the package can see them.
@Suite struct RecordsTests {
  // MARK: TextPool

  @Test func equalTextsHaveEqualHandles() {
    var pool = TextPool()
    let a = pool.intern(Array("a".utf8))
    let b = pool.intern(Array("b".utf8))
    #expect(a == pool.intern(Array("a".utf8)))
    #expect(a != b)
    #expect(pool.string(a) == "a")
    #expect(pool.intern([]) == .none)
    #expect(pool.count == 2)
  }

  @Test func textsLiveAsLongAsTheyAreRetained() {
    var pool = TextPool()
    let text = pool.intern([0xff, 0xfe])
    pool.retain(text)
    pool.release(text)
    #expect(pool.octets(text) == [0xff, 0xfe])
    pool.release(text)
    #expect(pool.count == 0)
    pool.release(.none)
  }

  /// Interned, retained and released at random, against a dictionary.
  @Test func manyTextsComeAndGo() {
    var random = SeededRandom(seed: 1)
    var pool = TextPool()
    var held: [(text: TextID, octets: [UInt8])] = []
    for _ in 0..<20_000 {
      if held.isEmpty || random.chance(0.55) {
        let octets = Array("text \(random.number(0..<1500))".utf8)
        held.append((pool.intern(octets), octets))
      } else {
        let index = random.number(0..<held.count)
        pool.release(held.swapRemove(index).text)
      }
    }
    #expect(held.allSatisfy { pool.octets($0.text) == $0.octets })
    #expect(pool.count == Set(held.map(\.octets)).count)
    #expect(Set(held.map(\.text)).count == pool.count)
    for entry in held { pool.release(entry.text) }
    #expect(pool.count == 0)
  }

  // MARK: StartLine

  private func startLine(_ text: String) -> StartLine? { Array(text.utf8).withOctets { StartLine($0) } }

  private func parts(_ text: String) -> [String]? {
    let octets = Array(text.utf8)
    guard case .request(let line)? = startLine(text) else { return nil }
    return [line.method, line.target, line.version].map { String(decoding: octets[$0], as: UTF8.self) }
  }

  @Test func requestLines() {
    #expect(parts("GET / HTTP/1.1") == ["GET", "/", "HTTP/1.1"])
    #expect(parts("GET  /a b\t HTTP/1.0 ") == ["GET", "/a b", "HTTP/1.0"])
    #expect(parts("GET / http/1.1") == ["GET", "/", "http/1.1"])
    #expect(parts("X!#$%&'*+-.^_`|~9 * HTTP/2.0") == ["X!#$%&'*+-.^_`|~9", "*", "HTTP/2.0"])
    #expect(parts("GET /old") == ["GET", "/old", ""])
    for text in ["", " ", "GET", "GET ", "GET x", "POST /old", "GET /a HTTP/1", "G(T / HTTP/1.1", "GET /a b"] {
      #expect(parts(text) == nil, "\(text)")
    }
  }

  @Test func statusLines() {
    for (text, status) in [
      ("HTTP/1.1 200 OK", 200), ("HTTP/1.1 200", 200), ("HTTP/1.0  404\tNot Found", 404), ("http/1.1 999 ", 999),
    ] {
      guard case .response(let line)? = startLine(text) else {
        Issue.record("no status-line: \(text)")
        continue
      }
      #expect(line.status == status)
      #expect(line.version == 0..<8)
    }
    for text in ["HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 099", "HTTP/1.1 2x0", "HTTP/11 200 OK"] {
      #expect(startLine(text) == nil, "\(text)")
    }
  }

  @Test func whatCannotBecomeAStartLine() {
    func isPossible(_ text: String) -> Bool { Array(text.utf8).withOctets { StartLine.isPossible($0) } }
    for text in ["", "G", "GET", "GET ", "GET /a", "HTTP/1.1 2", "\r", "GET /\u{1}"] {
      #expect(isPossible(text), "\(text)")
    }
    for text in ["{", " ", "\u{16}\u{3}", HTTP.body(33), "GET\u{0}", "FETCH /\u{1}"] {
      #expect(!isPossible(text), "\(text)")
    }
  }

  // MARK: RequestTarget

  private func target(_ text: String, isConnect: Bool = false) -> [String?] {
    let octets = Array(text.utf8)
    let target = octets.withOctets { RequestTarget($0, 0..<octets.count, isConnect: isConnect) }
    return [
      target.authority.map { String(decoding: octets[$0], as: UTF8.self) },
      String(decoding: octets[target.path], as: UTF8.self), target.queryLength.map(String.init),
    ]
  }

  @Test func requestTargets() {
    #expect(target("/a/b?c=d?e") == [nil, "/a/b", "5"])
    #expect(target("*") == [nil, "*", nil])
    #expect(target("http://a.example") == ["a.example", "", nil])
    #expect(target("http://a.example?x") == ["a.example", "", "1"])
    #expect(target("HTTPS://u:p@a.example:8443/p?") == ["a.example:8443", "/p", "0"])
    #expect(target("http:///p") == ["", "/p", nil])
    #expect(target("/http://a.example/") == [nil, "/http://a.example/", nil])
    #expect(target("a.example:443", isConnect: true) == ["a.example:443", "", nil])
  }

  // MARK: LatencyDistribution and APIs

  @Test func waitsOfAnAPI() {
    var dialogue = Dialogue.opened()
    dialogue.step = 0
    for wait in 1...100 {
      dialogue.send(.client, HTTP.get("/a"))
      dialogue.wait(Int64(wait) * 1_000_000)
      dialogue.send(.server, HTTP.ok("x"))
    }
    let analysis = analyze(dialogue)
    let wait = analysis.totals.apis.first?.wait
    #expect(wait?.count == 100)
    #expect(wait?.percentile(0) == 1_000_000)
    #expect(wait?.percentile(50) == 50_000_000)
    #expect(wait?.percentile(99) == 99_000_000)
    #expect(wait?.percentile(100) == 100_000_000)
  }

  @Test func manyWaitsAreKeptWithinOnePart() {
    var dialogue = Dialogue.opened()
    dialogue.step = 0
    for wait in 1...2000 {
      dialogue.send(.client, HTTP.get("/a"))
      dialogue.wait(Int64(wait) * 1_000_000)
      dialogue.send(.server, HTTP.ok("x"))
    }
    let wait = analyze(dialogue).totals.apis.first?.wait
    for percent in [1.0, 25, 50, 90, 99, 100] {
      let exact = percent / 100 * 2000 * 1_000_000
      let value = Double(wait?.percentile(percent) ?? 0)
      #expect(abs(value - exact) <= exact / 128, "percentile \(percent): \(value)")
    }
  }

  /// In which order times come, how many there were at a time, and how they were put together, makes no difference.
  @Test func bucketsAreThoseOfAllTimes() {
    var random = SeededRandom(seed: 11)
    for count in [500, 512, 513, 640, 641, 3000] {
      let times = (0..<count).map { _ in Int64(random.number(0..<60)) << Int64(random.number(0..<40)) }
      var one = LatencyDistribution()
      for time in times { one.record(time) }
      var parts = (0..<4).map { _ in LatencyDistribution() }
      for (index, time) in times.reversed().enumerated() { parts[index % 7 % 4].record(time) }
      var all = LatencyDistribution()
      for part in parts { all.merge(part) }
      #expect(one.count == count && all.count == count)
      let sorted = times.sorted()
      for percent in [0.0, 1, 50, 90, 99, 100] {
        let exact = sorted[min(max(Int((percent / 100 * Double(count)).rounded(.up)), 1), count) - 1]
        let value = one.percentile(percent) ?? -1
        #expect(all.percentile(percent) == value)
        #expect(count <= 512 ? value == exact : abs(value - exact) <= exact / 128, "\(count), \(percent)")
      }
    }
  }

  /// What is coarsened, before, between or after, is within the share that its bits leave, and takes less memory.
  @Test(arguments: 0...7) func coarsenedTimesAreWithinTheirShare(bits: Int) {
    var random = SeededRandom(seed: 12)
    for count in [1, 3, 100, 513, 3000] {
      let times = (0..<count).map { _ in Int64(random.number(0..<1 << 20)) << Int64(random.number(0..<20)) }
      var early = LatencyDistribution(bits: bits)
      var late = LatencyDistribution()
      var between = LatencyDistribution()
      for (index, time) in times.enumerated() {
        early.record(time)
        late.record(time)
        if index == count / 2 { between.coarsen(to: bits) }
        between.record(time)
      }
      let before = late.memory
      late.coarsen(to: bits)
      #expect(late.memory <= before)
      var merged = LatencyDistribution()
      merged.merge(late)
      let sorted = times.sorted()
      for percent in [0.0, 1, 50, 90, 99, 100] {
        let exact = sorted[min(max(Int((percent / 100 * Double(count)).rounded(.up)), 1), count) - 1]
        for one in [early, late, between, merged] {
          let value = one.percentile(percent) ?? -1
          #expect(abs(value - exact) <= max(exact >> Int64(bits), 1), "\(count) \(percent) \(bits)")
          #expect(one.count == count)
        }
      }
    }
  }

  /// Very many APIs, each with very different times: the memory of all is bounded, and that is said.
  @Test func timesOfManyAPIsAreBounded() {
    var configuration = Configuration()
    configuration.latencyOctetLimit = 16 << 10
    var dialogue = Dialogue.opened()
    var random = SeededRandom(seed: 13)
    for index in 0..<2400 {
      dialogue.send(.client, HTTP.get("/\(index % 40)"))
      dialogue.wait(Int64(random.number(1..<1000)) << Int64(random.number(0..<20)))
      dialogue.send(.server, HTTP.ok("x"))
    }
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.totals.apis.reduce(0) { $0 + $1.wait.memory } <= 16 << 10)
    #expect(analysis.totals.apis.allSatisfy { $0.wait.count == 60 })
    #expect((1...7).contains(analysis.anomalies[.latenciesCoarsened]))
    #expect(analyze(dialogue).anomalies[.latenciesCoarsened] == 0)
  }

  @Test func groupingAndTemplates() {
    var configuration = Configuration()
    configuration.templatePaths = true
    configuration.grouping.method = true
    var dialogue = Dialogue.opened()
    for path in ["/u/1", "/u/2", "/u/me"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(path))
    }
    dialogue.send(.client, HTTP.post("/u/3", "x"))
    dialogue.send(.server, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
    let analysis = analyze(dialogue, configuration)
    let texts = analysis.totals.texts
    let rows = analysis.totals.apis.map {
      "\(texts.string($0.method)) \(texts.string($0.path)) \($0.requests)/\($0.responses) \($0.status5xx)"
    }
    #expect(rows == ["GET /u/me 1/1 0", "GET /u/{id} 2/2 0", "POST /u/{id} 1/1 1"])
  }

  @Test func fullTableOfAPIs() {
    var configuration = Configuration()
    configuration.apiLimit = 8
    var dialogue = Dialogue.opened()
    for number in 0..<40 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, HTTP.ok("x"))
    }
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.totals.apis.count <= 10)
    #expect(analysis.anomalies[.apiTableFull] > 0)
  }
}

extension Array {
  /// Takes an element out; the last one moves to its place.
  fileprivate mutating func swapRemove(_ index: Int) -> Element {
    swapAt(index, count - 1)
    return removeLast()
  }
}
