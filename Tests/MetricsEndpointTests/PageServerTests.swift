import Testing

@testable import MetricsEndpoint

/// The server of the page: who gets it, and who is told of newer ones.
@Suite(.timeLimit(.minutes(10))) struct PageServerTests {
  // MARK: Who may see it

  private static let gate = PageGate(token: Array("token".utf8), port: 8080, allowsOthers: false)

  /// What a request gets, of the server that reads it or of the gate.
  private func decide(
    _ target: String, _ fields: [(String, String)], _ gate: PageGate = gate, method: String = "GET"
  ) -> PageGate.Decision {
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    do throws(RequestHead.Refusal) {
      return gate.decide(try RequestHead("\(method) \(target) HTTP/1.1\r\n\(lines)".utf8))
    } catch {
      return .refused(error.status)
    }
  }

  @Test(arguments: [
    ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST:8080", true), ("[::1]:8080", true),
    ("127.9.9.9:8080", true), ("127.0.0.1", false), ("127.0.0.1:", false), ("127.0.0.1:+8080", false),
    ("127.0.0.1:8081", false), ("192.0.2.1:8080", false), ("127.0.0.1.attacker.example:8080", false),
    ("attacker.example:8080", false), ("localhost.attacker.example:8080", false), ("::1:8080", false),
    ("[::1]", false), ("[attacker.example]:8080", false), ("2130706433:8080", false), ("", false), (":8080", false),
    ("127.1:8080", false), ("[2001:db8::1]:8080", false),
  ])
  func onlyAddressesOfThisMachine(_ host: String, _ isOwn: Bool) {
    #expect(decide("/token/", [("Host", host)]) == (isOwn ? .page : .refused(403)))
  }

  @Test func otherMachinesMayAskByAddress() {
    let gate = PageGate(token: Array("token".utf8), port: 80, allowsOthers: true)
    for host in ["192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "localhost"] {
      #expect(decide("/token/", [("Host", host)], gate) == .page, "\(host)")
    }
    for host in ["attacker.example", "192.0.2.1:81"] {
      #expect(decide("/token/", [("Host", host)], gate) == .refused(403), "\(host)")
    }
  }

  @Test func oneHostAndTheRightOrigin() throws {
    let host = ("Host", "127.0.0.1:8080")
    #expect(decide("/token/", []) == .refused(400))
    #expect(decide("/token/", [host, host]) == .refused(400))
    // Which HTTP/1.0 allows, and the gate does not.
    #expect(Self.gate.decide(try RequestHead("GET /token/ HTTP/1.0\r\n".utf8)) == .refused(400))
    #expect(decide("/token/events", [host, ("Origin", "http://127.0.0.1:8080")]) == .events(after: 0))
    for origin in [
      "null", "http://attacker.example", "http://localhost:8080", "http://127.0.0.1:8080.attacker.example",
    ] {
      #expect(decide("/token/events", [host, ("Origin", origin)]) == .refused(403), "\(origin)")
    }
    let twice = [host, ("Origin", "http://127.0.0.1:8080"), ("Origin", "http://attacker.example")]
    #expect(decide("/token/", twice) == .refused(403))
  }

  @Test func otherSitesMayOnlyLeadThere() {
    func asked(_ path: String, _ site: String, _ mode: String, _ destination: String) -> PageGate.Decision {
      let metadata = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]
      return decide("/token/\(path)", [("Host", "127.0.0.1:8080")] + metadata)
    }
    #expect(asked("", "none", "navigate", "document") == .page)
    #expect(asked("", "cross-site", "navigate", "document") == .page)
    #expect(asked("events", "same-origin", "cors", "empty") == .events(after: 0))
    #expect(asked("", "cross-site", "navigate", "iframe") == .refused(403))
    #expect(asked("", "same-site", "no-cors", "script") == .refused(403))
    #expect(asked("events", "cross-site", "navigate", "document") == .refused(403))
  }

  @Test func pathsAndMethods() {
    let host = [("Host", "127.0.0.1:8080")]
    for path in ["/", "/token", "/Token/", "/toke/", "/tokens/", "//token/", "/token//", "/token/x", "*", "token/"] {
      #expect(decide(path, host) == .refused(404), "\(path)")
    }
    #expect(decide("/token/?x", host) == .page)
    #expect(decide("/token/events?after=7", host) == .events(after: 7))
    #expect(decide("/token/events?after=x", host) == .events(after: 0))
    #expect(decide("/token/events?after=7", host + [("Last-Event-ID", "9")]) == .events(after: 9))
    #expect(decide("/token/", host, method: "HEAD") == .page)
    for (path, method) in [("/token/", "POST"), ("/token/events", "HEAD"), ("/token/", "OPTIONS"), ("/token/", "get")] {
      #expect(decide(path, host, method: method) == .refused(405))
    }
  }

  @Test func tokensAreLongAndDiffer() {
    let tokens = Set((0..<1000).map { _ in PageGate.newToken() })
    #expect(tokens.count == 1000)
    #expect(tokens.allSatisfy { $0.utf8.count == 22 && $0.wholeMatch(of: #/[A-Za-z0-9_-]+/#) != nil })
    // Each of the 64 characters comes about 344 times.
    let counts = tokens.reduce(into: [Character: Int]()) { counts, token in
      for c in token { counts[c, default: 0] += 1 }
    }
    #expect(counts.count == 64 && counts.values.allSatisfy { 200..<500 ~= $0 })
  }

  // MARK: What is served

  private func content(viewers: Int = 8) -> PageContent {
    let content = PageContent(document: (Array("<p>".utf8), Array("</p>".utf8)), viewerLimit: viewers)
    content.publish(.init(octets: Array("{1}".utf8), version: 1))
    return content
  }

  /// Serves a page in turns that the test takes, to any port's name.
  private func serve(
    _ content: PageContent, connections: Int = 32, _ body: (TurnsOfServer) throws -> Void
  ) throws {
    let gate = PageGate(token: Array("token".utf8), port: 80, allowsOthers: false)
    try TurnsOfServer.serve(PageService(gate: gate, content: content), connections: connections, body)
  }

  private func request(_ path: String, _ fields: String = "") -> String {
    "GET /token/\(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
  }

  @Test func servesThePageAsItIsNow() throws {
    let content = content()
    try serve(content) { server in
      let answer = try server.turnToEnd(of: server.client(request("", "Connection: close\r\n")))
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n<p>{1}</p>"))
      for field in [
        "content-type: text/html; charset=utf-8", "cache-control: no-store", "x-frame-options: DENY",
        "cross-origin-resource-policy: same-origin",
      ] {
        #expect(answer.contains("\r\n\(field)\r\n"), "\(field)")
      }
      #expect(!answer.lowercased().contains("access-control-"))
      content.publish(.init(octets: Array("{2}".utf8), version: 2))
      let client = try server.client("HEAD" + request("").dropFirst(3) + request("", "Connection: close\r\n"))
      let both = try server.turnToEnd(of: client)
      #expect(both.ranges(of: "content-length: 10\r\n").count == 2 && both.ranges(of: "<p>{2}</p>").count == 1)
      // One that is refused is let go.
      let refused = try server.turnToEnd(of: server.client(request("x") + request("")))
      #expect(refused.hasPrefix("HTTP/1.1 404 ") && !refused.contains("<p>"))
      let other = try server.turnToEnd(of: server.client("PUT" + request("").dropFirst(3)))
      #expect(other.hasPrefix("HTTP/1.1 405 ") && other.contains("\r\nallow: GET, HEAD\r\n"))
    }
  }

  /// With a thread of its own: who looks at the page is told of newer ones, and let go with the last one.
  @Test func newerPagesComeAndTheLastEndsThem() throws {
    var limits = PageServer.Limits()
    // Nothing but a newer page makes it look at viewers.
    limits.patience = .seconds(3600)
    let document = (head: Array("<p>".utf8), tail: Array("</p>".utf8))
    let server = PageServer(try MetricsAddress("127.0.0.1:0"), document: document, limits: limits)
    let address = try server.open()
    let path = try server.start().trimmingPrefix("http://\(address)")
    #expect(path.hasPrefix("/") && path.hasSuffix("/") && path.count == 24)
    server.publish(Array("{1}".utf8), version: 1)
    let viewers = try ["events?after=1", "events"].map { name in
      let viewer = try RawClient(address)
      viewer.send("GET \(path)\(name) HTTP/1.1\r\nHost: \(address)\r\n\r\n")
      return viewer
    }
    viewers[0].take { $0.text.hasSuffix("retry: 2000\n\n") }
    viewers[1].take { $0.text.hasSuffix("data: {1}\n\n") }
    #expect(server.isWatched)
    server.publish(Array("{2}".utf8), version: 2)
    for viewer in viewers { viewer.take { $0.text.hasSuffix("data: {2}\n\n") } }
    server.publish(Array("{3}".utf8), version: 3, isLast: true)
    for viewer in viewers { viewer.take { $0.isOver } }
    #expect(Self.events(viewers[0]) == ["retry: 2000", "id: 2\ndata: {2}", "id: 3\ndata: {3}"])
    #expect(Self.events(viewers[1]) == ["retry: 2000", "id: 1\ndata: {1}", "id: 2\ndata: {2}", "id: 3\ndata: {3}"])
    #expect(!server.isWatched)
    // One that is there when it stops.
    let last = try RawClient(address)
    last.send("GET \(path)events HTTP/1.0\r\nHost: \(address)\r\n\r\n")
    last.take { $0.isOver }
    #expect(Self.events(last) == ["retry: 2000", "id: 3\ndata: {3}"])
    let silent = try RawClient(address)
    silent.send("GET \(path)events?after=3 HTTP/1.1\r\nHost: \(address)\r\n\r\n")
    silent.take { $0.text.hasSuffix("retry: 2000\n\n") }
    server.stop()
    silent.take { $0.isOver }
    #expect(!server.isWatched)
  }

  /// One that takes nothing has one page on its way and no more, and gets the newest next.
  @Test func aSlowViewerMissesPages() throws {
    let content = content()
    let large = 8 << 20
    try serve(content) { server in
      let viewer = try server.client(request("events?after=1"))
      try server.turn(viewer) { $0.text.hasSuffix("retry: 2000\n\n") }
      for version in 2...20 {
        content.publish(.init(octets: Array(repeating: UInt8(ascii: "x"), count: large), version: version))
        try server.fill(viewer)
      }
      content.publish(.init(octets: Array("{21}".utf8), version: 21, isLast: true))
      try server.turn(viewer) { $0.isOver }
      #expect(viewer.received.count < 2 * large)
      let events = Self.events(viewer)
      #expect(events.map { $0.prefix { $0 != "\n" } } == ["retry: 2000", "id: 2", "id: 21"])
      #expect(events.last == "id: 21\ndata: {21}")
    }
  }

  @Test func viewersAreKeptWhileNothingIsNew() throws {
    let content = content(viewers: 2)
    try serve(content) { server in
      let viewers = try (0..<2).map { _ in try server.client(request("events?after=1")) }
      for viewer in viewers { try server.turn(viewer) { $0.text.hasSuffix("retry: 2000\n\n") } }
      // Patience is 30 seconds: a comment each half of it.
      for count in 1...5 {
        server.pass(.seconds(15) - .nanoseconds(1))
        server.pass(.nanoseconds(1))
        for viewer in viewers { try server.turn(viewer) { $0.text.ranges(of: ":\n\n").count == count } }
      }
      #expect(try server.turnToEnd(of: server.client(request("events"))).hasPrefix("HTTP/1.1 503 "))
      content.publish(.init(octets: Array("{2}".utf8), version: 2, isLast: true))
      for viewer in viewers {
        try server.turn(viewer) { $0.isOver }
        #expect(Self.events(viewer) == ["retry: 2000", "id: 2\ndata: {2}"])
      }
      #expect(content.viewerCount == 0)
    }
  }

  /// A thousand never ask, or break off: who looks at the page is told of newer ones, and one that asks gets it.
  @Test(arguments: ["", "GET /token/ HTTP/1.1\r\nHost: x\r\n"])
  func aThousandSlowClientsHoldUpNothing(_ octets: String) throws {
    try Descriptors.allow(1200)
    let content = content()
    try serve(content) { server in
      let viewer = try server.client(request("events?after=1"))
      try server.turn(viewer) { $0.text.hasSuffix("retry: 2000\n\n") }
      var slow: [RawClient] = []
      for number in 1...1000 {
        slow.append(try server.client(octets))
        server.pass(.milliseconds(10))
        guard number % 50 == 0 else { continue }
        #expect(server.connections.count == 32)
        content.publish(.init(octets: Array("{\(number)}".utf8), version: number))
        try server.turn(viewer) { $0.text.hasSuffix("data: {\(number)}\n\n") }
        let answer = try server.turnToEnd(of: server.client(request("", "Connection: close\r\n")))
        #expect(answer.hasSuffix("\r\n\r\n<p>{\(number)}</p>"))
      }
      #expect(slow.suffix(20).allSatisfy(server.has) && content.viewerCount == 1)
    }
  }

  /// A viewer that is gone leaves its place to another one, however it has gone.
  @Test func viewersThatLeaveMakeRoom() throws {
    let content = content(viewers: 1)
    try serve(content, connections: 2) { server in
      func viewer() throws -> RawClient {
        let viewer = try server.client(request("events?after=\(content.data.version)"))
        try server.turn(viewer) { $0.text.hasSuffix("retry: 2000\n\n") }
        return viewer
      }
      try viewer().endSending()
      try server.turn { content.viewerCount == 0 }
      do { _ = try viewer() }
      try server.turn { content.viewerCount == 0 }
      // One that takes nothing is closed when patience is over.
      let deaf = try viewer()
      content.publish(.init(octets: Array(repeating: UInt8(ascii: "x"), count: 8 << 20), version: 2))
      try server.fill(deaf)
      try server.pass(.seconds(30)) { content.viewerCount == 0 }
      // One that is told of newer pages is in the best standing, but gives way to what is, too, where there is nobody else.
      let good = try viewer()
      let silent = try server.client()
      let other = try server.client(request("", "Connection: close\r\n"))
      #expect(server.has(good) && !server.has(silent))
      #expect(try server.turnToEnd(of: other).hasSuffix("</p>"))
    }
  }

  /// The events of a response, without comments.
  private static func events(_ viewer: RawClient) -> [String] {
    guard let head = viewer.received.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
    let text = String(decoding: viewer.received[head.upperBound...], as: UTF8.self)
    return text.split(separator: "\n\n").map(String.init).filter { $0 != ":" }
  }
}
