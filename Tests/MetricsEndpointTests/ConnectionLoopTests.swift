import Testing

@testable import MetricsEndpoint

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Clients that are slow, many or hostile, in turns that the test takes.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLoopTests {
  private static let get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
  private static let last = "GET /metrics HTTP/1.0\r\n\r\n"
  /// More than the system keeps for two sockets.
  private static let large = Array(repeating: UInt8(ascii: "#"), count: 16 << 20)

  private func page(_ text: String = "a 1\n") -> MetricsPage { page(Array(text.utf8)) }

  private func page(_ octets: [UInt8]) -> MetricsPage {
    let page = MetricsPage()
    page.publish(octets)
    return page
  }

  private static func count(_ part: String, in text: String) -> Int { text.ranges(of: part).count }

  // MARK: Requests

  @Test func requestsOfAConnectionAreAnsweredInTheirOrder() throws {
    try TurnsOfServer.serve(page()) { server in
      let asked = "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n" + Self.get + Self.last
      let answer = try server.turnToEnd(of: server.client(asked))
      let fields = "content-type: text/plain; version=0.0.4; charset=utf-8\r\ncontent-length: 4\r\n"
      #expect(
        answer == "HTTP/1.1 200 OK\r\n\(fields)\r\nHTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"
          + "HTTP/1.1 200 OK\r\n\(fields)\r\na 1\nHTTP/1.1 200 OK\r\n\(fields)connection: close\r\n\r\na 1\n")
    }
  }

  /// However it is cut.
  @Test func aRequestComesInPieces() throws {
    try TurnsOfServer.serve(page()) { server in
      let client = try server.client()
      for number in 1...3 {
        for octet in Self.get {
          client.send(String(octet))
          server.pass(.milliseconds(1))
        }
        try server.turn(client) { Self.count("\r\n\r\na 1\n", in: $0.text) == number }
      }
      #expect(Self.count("HTTP/1.1 200 OK\r\n", in: client.text) == 3)
    }
  }

  @Test func contentIsPassedOver() throws {
    try TurnsOfServer.serve(page()) { server in
      let content = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n" + String(repeating: "x", count: 300_000)
      let client = try server.client(
        "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: \(content.utf8.count)\r\n\r\n")
      let refusal = "HTTP/1.1 405 Method Not Allowed\r\nallow: GET, HEAD\r\ncontent-length: 0\r\n\r\n"
      try server.turn(client) { $0.text == refusal }
      try server.send(content + Self.last, by: client)
      // The content is no request.
      let answer = try server.turnToEnd(of: client)
      #expect(answer.hasPrefix("\(refusal)HTTP/1.1 200 OK\r\n") && Self.count("HTTP", in: answer) == 2)
      // Nobody reads chunks: what is behind them is no request either.
      let chunked = "GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + Self.get
      let last = try server.turnToEnd(of: server.client(chunked))
      #expect(Self.count("HTTP", in: last) == 1 && last.hasSuffix("connection: close\r\n\r\na 1\n"))
    }
  }

  /// A client that sends no request is told so, and let go. It has the whole answer, though it sends more that nobody reads.
  @Test(arguments: [
    ("GET / HTTP/1.1 and more\r\n\r\n", "400 Bad Request"), ("GET / HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("\u{16}\u{3}\u{1}\n", "400 Bad Request"), ("GET / HTTP/1.0\n", "400 Bad Request"),
    (String(repeating: "A", count: 20_000), "414 URI Too Long"),
    ("GET / HTTP/1.0\r\na: " + String(repeating: "A", count: 20_000), "431 Request Header Fields Too Large"),
    ("GET / HTTP/1.0\r\n" + String(repeating: "a:\r\n", count: 5000), "431 Request Header Fields Too Large"),
    (String(repeating: "\r\n", count: 10_000), "431 Request Header Fields Too Large"),
  ])
  func whatIsNoRequestIsRefused(_ octets: String, _ status: String) throws {
    try TurnsOfServer.serve(page()) { server in
      for more in ["", Self.get, String(repeating: "x", count: 50_000)] {
        let client = try server.client(octets + more)
        #expect(
          try server.turnToEnd(of: client) == "HTTP/1.1 \(status)\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
      }
    }
  }

  @Test func theLongestHeadIsAnswered() throws {
    let start = "GET /metrics HTTP/1.0\r\na: "
    func head(_ length: Int) -> String {
      start + String(repeating: "x", count: length - start.utf8.count - 4) + "\r\n\r\n"
    }
    try TurnsOfServer.serve(page()) { server in
      let limit = RequestHead.lengthLimit
      let longest = try server.turnToEnd(of: server.client(head(limit)))
      #expect(longest.hasPrefix("HTTP/1.1 200 OK\r\n"))
      let longer = try server.turnToEnd(of: server.client(head(limit + 1)))
      #expect(longer.hasPrefix("HTTP/1.1 431 "))
    }
  }

  // MARK: Patience

  /// A client that never sends a whole request is let go when patience is over, however often something comes.
  @Test(arguments: [false, true]) func aRequestHasItsTime(_ sends: Bool) throws {
    try TurnsOfServer.serve(page(), patience: .seconds(30)) { server in
      let client = try server.client("GET /met")
      for _ in 0..<29 {
        server.pass(.seconds(1))
        #expect(server.has(client))
        if sends { client.send("r") }
      }
      server.pass(.seconds(1) - .nanoseconds(1))
      #expect(server.has(client))
      server.pass(.nanoseconds(1))
      #expect(!server.has(client))
      #expect(try server.turnToEnd(of: client) == "")
    }
  }

  @Test func anAnsweredConnectionMayAskAgain() throws {
    try TurnsOfServer.serve(page(), patience: .seconds(30)) { server in
      let client = try server.client(Self.get)
      for number in 1...3 {
        try server.turn(client) { Self.count("a 1\n", in: $0.text) == number }
        #expect(server.standing(of: client) == .idle)
        server.pass(.seconds(29))
        // It has its time for another request from that one's first octet.
        client.send("GET /metr")
        try server.turn { server.standing(of: client) == .slow }
        server.pass(.seconds(29))
        client.send("ics HTTP/1.1\r\nHost: x\r\n\r\n")
      }
      try server.turn(client) { Self.count("a 1\n", in: $0.text) == 4 }
      server.pass(.seconds(30))
      #expect(!server.has(client))
    }
  }

  /// A client that takes a piece now and then has all of it in the end. One that takes none is let go.
  @Test func aClientThatTakesIsKept() throws {
    try TurnsOfServer.serve(page(Self.large), patience: .seconds(30)) { server in
      let client = try server.client(Self.get)
      for _ in 0..<3 {
        try server.fill(client)
        server.pass(.seconds(29))
        let left = try #require(server.connection(of: client)?.outputCount)
        try server.turn(client) { server.connection(of: $0)?.outputCount ?? 0 < left }
      }
      try server.turn(client) { _ in server.standing(of: client) == .idle && client.received.last == UInt8(ascii: "#") }
      let start = try #require(client.received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound)
      try server.turn(client) { $0.received.count == start + Self.large.count }
      // And now nothing.
      client.send(Self.get)
      try server.fill(client)
      try server.pass(.seconds(30)) { !server.has(client) }
    }
  }

  /// The answer of a client that takes nothing is as it was, and the others have the newest one.
  @Test func aSlowClientHoldsUpNothing() throws {
    let page = page(Self.large)
    try TurnsOfServer.serve(page) { server in
      let slow = try (0..<2).map { _ in try server.client(Self.last) }
      for client in slow { try server.fill(client) }
      page.publish(Array("new 1\n".utf8))
      #expect(try server.turnToEnd(of: server.client(Self.last)).hasSuffix("\r\n\r\nnew 1\n"))
      for client in slow {
        try server.turn(client) { $0.isOver }
        #expect(client.received.count > Self.large.count && client.received.last == UInt8(ascii: "#"))
      }
    }
  }

  @Test func whoEndsSendingHasItsAnswer() throws {
    try TurnsOfServer.serve(page(Self.large)) { server in
      let client = try server.client(Self.get)
      client.endSending()
      try server.turn(client) { $0.isOver }
      #expect(client.received.count > Self.large.count)
      try server.turn { server.connections.isEmpty }
    }
  }

  /// After the last answer a client has some time to close, however much it sends.
  @Test func theLastAnswerIsFollowedByAFarewell() throws {
    try TurnsOfServer.serve(page()) { server in
      let (client, other) = (try server.client(Self.last), try server.client(Self.last))
      for client in [client, other] { try server.turn(client) { $0.text.hasSuffix("a 1\n") } }
      try server.turn { server.connections.allSatisfy { $0.phase == .leaving } }
      server.pass(ClientConnection.farewell - .nanoseconds(1))
      #expect(server.has(client) && server.has(other))
      other.send(Self.get)
      client.endSending()
      try server.turn { !server.has(client) }
      #expect(server.has(other))
      server.pass(.nanoseconds(1))
      #expect(server.connections.isEmpty)
      #expect(Self.count("HTTP", in: other.text) == 1)
    }
  }

  // MARK: Places

  /// The one that has been slow for longest gives way, in whatever way it is slow.
  @Test func theSlowestGivesWay() throws {
    try TurnsOfServer.serve(page(Self.large), connections: 3) { server in
      let deaf = try server.client(Self.get)
      try server.fill(deaf)
      server.pass(.seconds(2))
      let silent = try server.client()
      server.pass(.seconds(2))
      let partial = try server.client("GET /metrics HTTP/1.1\r\n")
      server.pass(.seconds(2))
      // It came first, and has taken something since.
      let left = try #require(server.connection(of: deaf)?.outputCount)
      try server.turn(deaf) { server.connection(of: $0)?.outputCount ?? 0 < left }
      try server.fill(deaf)
      server.pass(.seconds(2))
      var gone: [RawClient] = []
      for client in [silent, partial, deaf] {
        #expect(server.has(client))
        gone.append(try server.client())
        #expect(!server.has(client) && server.connections.count == 3)
        server.pass(.milliseconds(1))
      }
      #expect(gone.allSatisfy(server.has))
    }
  }

  /// Connections in good standing go after all slow ones: first those that may ask again, then those that take their page.
  @Test func goodStandingCounts() throws {
    let page = page()
    try TurnsOfServer.serve(page, connections: 4) { server in
      let again = try server.client(Self.get)
      try server.turn(again) { $0.text.hasSuffix("a 1\n") }
      let idle = try server.client(Self.get)
      try server.turn(idle) { $0.text.hasSuffix("a 1\n") }
      server.pass(.seconds(1))
      again.send(Self.get)
      try server.turn(again) { Self.count("a 1\n", in: $0.text) == 2 }
      page.publish(Self.large)
      let taking = try server.client(Self.get)
      try server.fill(taking)
      server.pass(.seconds(9))
      let silent = try server.client()
      // It has taken something just now.
      let left = try #require(server.connection(of: taking)?.outputCount)
      try server.turn(taking) { server.connection(of: $0)?.outputCount ?? 0 < left }
      #expect([idle, again, taking, silent].map(server.standing) == [.idle, .idle, .taking, .slow])
      var new: [RawClient] = []
      for client in [silent, idle, again] {
        #expect(server.has(client))
        // These may ask again, too, but have come last.
        new.append(try server.client("GET /x HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(!server.has(client))
      }
      #expect(server.has(taking) && new.allSatisfy(server.has))
      // Nothing for a second: it is slow.
      try server.fill(taking)
      try server.pass(ClientConnection.pause) { server.standing(of: taking) == .slow }
      _ = try server.client()
      #expect(!server.has(taking) && new.allSatisfy(server.has))
    }
  }

  /// A thousand never ask: one that asks is answered.
  @Test(arguments: ["", "GET /metrics HTTP/1.1\r\nHost: x\r\n"])
  func aThousandSilentClientsHoldUpNothing(_ octets: String) throws {
    try Descriptors.allow(1200)
    try TurnsOfServer.serve(page()) { server in
      let kept = try server.client(Self.get)
      var silent: [RawClient] = []
      for number in 1...1000 {
        silent.append(try server.client(octets))
        server.pass(.milliseconds(10))
        guard number % 50 == 0 else { continue }
        #expect(server.connections.count == 32)
        let client = try server.client(Self.last)
        #expect(try server.turnToEnd(of: client).hasSuffix("\r\n\r\na 1\n"))
      }
      // Beside it and the last one that asked, those that came last are there.
      #expect(silent.suffix(30).allSatisfy(server.has) && !silent.dropLast(30).contains(where: server.has))
      #expect(server.standing(of: kept) == .idle)
    }
  }

  /// A hundred take nothing of a large answer: one that takes it has it.
  @Test func clientsThatTakeNothingHoldUpNothing() throws {
    try TurnsOfServer.serve(page(Self.large)) { server in
      var deaf: [RawClient] = []
      for number in 1...100 {
        deaf.append(try server.client(Self.get))
        server.pass(.milliseconds(100))
        #expect(server.connections.count <= 32)
        guard number % 25 == 0 else { continue }
        let client = try server.client(Self.last)
        try server.turn(client) { $0.isOver }
        #expect(client.received.count > Self.large.count)
      }
    }
  }
}

/// How many descriptors this process may have.
enum Descriptors {
  /// Sees to it that there may be so many.
  static func allow(_ count: Int) throws {
    #if canImport(Glibc)
      let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let kind = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    unsafe getrlimit(kind, &limit)
    let needed = rlim_t(count + 300)
    try #require(limit.rlim_max >= needed, "this machine allows too few descriptors")
    guard limit.rlim_cur < needed else { return }
    limit.rlim_cur = needed
    unsafe setrlimit(kind, &limit)
  }
}
