import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import MetricsEndpoint

/// The server of the page: who gets it, and who is told of newer ones.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PageServerTests {
  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  /// A server that runs, its address, and the path of the page.
  private func started(
    _ limits: PageServer.Limits = .init()
  ) async throws -> (server: PageServer, address: MetricsAddress, path: String) {
    let server = PageServer(
      try MetricsAddress("127.0.0.1:0"), document: (Array("<p>".utf8), Array("</p>".utf8)), limits: limits)
    let address = try await onThread { try server.open() }
    let url = try #require(URL(string: try await onThread { try server.start() }))
    server.publish(Array("{1}".utf8), version: 1)
    return (server, address, url.path + "/")
  }

  private func request(_ path: String, _ address: MetricsAddress, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: \(address)\r\n\(fields)\r\n"
  }

  // MARK: Who may see it

  private static let gate = PageGate(token: Array("token".utf8), port: 8080, allowsOthers: false)

  private func decide(
    _ uri: String, _ fields: [(String, String)], _ gate: PageGate = gate, method: HTTPMethod = .GET
  ) -> PageGate.Decision {
    gate.decide(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(fields)))
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
    #expect(decide("/token/", [("Host", host)]) == (isOwn ? .page : .refused(.forbidden)))
  }

  @Test func otherMachinesMayAskByAddress() {
    let gate = PageGate(token: Array("token".utf8), port: 80, allowsOthers: true)
    for host in ["192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "localhost"] {
      #expect(decide("/token/", [("Host", host)], gate) == .page, "\(host)")
    }
    for host in ["attacker.example", "192.0.2.1:81"] {
      #expect(decide("/token/", [("Host", host)], gate) == .refused(.forbidden), "\(host)")
    }
  }

  @Test func oneHostAndTheRightOrigin() {
    let host = ("Host", "127.0.0.1:8080")
    #expect(decide("/token/", []) == .refused(.badRequest))
    #expect(decide("/token/", [host, host]) == .refused(.badRequest))
    #expect(decide("/token/events", [host, ("Origin", "http://127.0.0.1:8080")]) == .events(after: 0))
    for origin in [
      "null", "http://attacker.example", "http://localhost:8080", "http://127.0.0.1:8080.attacker.example",
    ] {
      #expect(decide("/token/events", [host, ("Origin", origin)]) == .refused(.forbidden), "\(origin)")
    }
    let twice = [host, ("Origin", "http://127.0.0.1:8080"), ("Origin", "http://attacker.example")]
    #expect(decide("/token/", twice) == .refused(.forbidden))
  }

  @Test func otherSitesMayOnlyLeadThere() {
    func asked(_ path: String, _ site: String, _ mode: String, _ destination: String) -> PageGate.Decision {
      let metadata = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]
      return decide("/token/\(path)", [("Host", "127.0.0.1:8080")] + metadata)
    }
    #expect(asked("", "none", "navigate", "document") == .page)
    #expect(asked("", "cross-site", "navigate", "document") == .page)
    #expect(asked("events", "same-origin", "cors", "empty") == .events(after: 0))
    #expect(asked("", "cross-site", "navigate", "iframe") == .refused(.forbidden))
    #expect(asked("", "same-site", "no-cors", "script") == .refused(.forbidden))
    #expect(asked("events", "cross-site", "navigate", "document") == .refused(.forbidden))
  }

  @Test func pathsAndMethods() {
    let host = [("Host", "127.0.0.1:8080")]
    for path in ["/", "/token", "/Token/", "/toke/", "/tokens/", "//token/", "/token//", "/token/x", "*", "token/", ""]
    {
      #expect(decide(path, host) == .refused(.notFound), "\(path)")
    }
    #expect(decide("/token/?x", host) == .page)
    #expect(decide("/token/events?after=7", host) == .events(after: 7))
    #expect(decide("/token/events?after=x", host) == .events(after: 0))
    #expect(decide("/token/events?after=7", host + [("Last-Event-ID", "9")]) == .events(after: 9))
    #expect(decide("/token/", host, method: .HEAD) == .page)
    for (path, method) in [("/token/", HTTPMethod.POST), ("/token/events", .HEAD), ("/token/", .OPTIONS)] {
      #expect(decide(path, host, method: method) == .refused(.methodNotAllowed))
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

  @Test func servesThePageAsItIsNow() async throws {
    let (server, address, path) = try await started()
    let answer = try await RawClient.ask(address, request(path, address, "Connection: close\r\n"))
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n<p>{1}</p>"))
    for field in [
      "content-type: text/html; charset=utf-8", "cache-control: no-store", "x-frame-options: DENY",
      "cross-origin-resource-policy: same-origin",
    ] {
      #expect(answer.contains("\r\n\(field)\r\n"), "\(field)")
    }
    #expect(!answer.lowercased().contains("access-control-"))
    server.publish(Array("{2}".utf8), version: 2)
    let head = try await RawClient.ask(address, "HEAD" + request(path, address, "Connection: close\r\n").dropFirst(3))
    #expect(head.hasSuffix("\r\n\r\n") && head.contains("content-length: 10\r\n"))
    // Who is refused is let go.
    let refused = try await RawClient.ask(address, request("/x/", address) + request(path, address))
    #expect(refused.hasPrefix("HTTP/1.1 404 ") && !refused.contains("<p>"))
    try await onThread { server.stop() }
  }

  @Test func newerPagesComeAndTheLastEndsThem() async throws {
    let (server, address, path) = try await started()
    async let events = RawClient.ask(address, request(path + "events?after=1", address))
    async let late = RawClient.ask(address, request(path + "events", address))
    while !server.isWatched { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(50))
    server.publish(Array("{2}".utf8), version: 2)
    try await Task.sleep(for: .milliseconds(50))
    server.publish(Array("{3}".utf8), version: 3, isLast: true)
    #expect(Self.events(try await events) == ["retry: 2000", "id: 2\ndata: {2}", "id: 3\ndata: {3}"])
    #expect(Self.events(try await late).prefix(2) == ["retry: 2000", "id: 1\ndata: {1}"])
    while server.isWatched { try await Task.sleep(for: .milliseconds(5)) }
    try await onThread { server.stop() }
  }

  /// Who takes nothing has one page on its way and no more, and gets the newest next.
  @Test func aSlowViewerMissesPages() async throws {
    let (server, address, path) = try await started()
    let large = 8 << 20
    try await RawClient.connect(address).executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: request(path + "events?after=1", address)))
      while !server.isWatched { try await Task.sleep(for: .milliseconds(5)) }
      for version in 2...20 {
        let data = Array(repeating: UInt8(ascii: "x"), count: large)
        server.publish(data, version: version)
        try await Task.sleep(for: .milliseconds(20))
      }
      server.publish(Array("{21}".utf8), version: 21, isLast: true)
      var text = ByteBuffer()
      for try await piece in inbound { text.writeImmutableBuffer(piece) }
      #expect(text.readableBytes < 3 * large)
      let events = Self.events(Array(text.readableBytesView))
      #expect(events.map { $0.prefix { $0 != "\n" } } == ["retry: 2000", "id: 2", "id: 21"])
      #expect(events.last == "id: 21\ndata: {21}")
    }
    try await onThread { server.stop() }
  }

  @Test func viewersAreKeptWhileNothingIsNew() async throws {
    var limits = PageServer.Limits()
    limits.patience = .milliseconds(400)
    limits.viewers = 2
    let (server, address, path) = try await started(limits)
    async let first = RawClient.ask(address, request(path + "events?after=1", address))
    async let second = RawClient.ask(address, request(path + "events?after=1", address))
    try await Task.sleep(for: .seconds(1.5))
    #expect(server.isWatched)
    #expect(try await RawClient.ask(address, request(path + "events", address)).hasPrefix("HTTP/1.1 503 "))
    server.publish(Array("{2}".utf8), version: 2, isLast: true)
    for answer in [try await first, try await second] {
      #expect(answer.contains("\r\n:\n\n\r\n") && Self.events(answer) == ["retry: 2000", "id: 2\ndata: {2}"])
    }
    // Who says nothing is not kept.
    let time = try await ContinuousClock().measure { _ = try await RawClient.ask(address, "GET /") }
    #expect(time >= .milliseconds(400))
    try await onThread { server.stop() }
  }

  /// The events of a response in chunks (RFC 9112 §7.1), without comments.
  private static func events(_ answer: String) -> [String] { events(Array(answer.utf8)) }

  private static func events(_ answer: [UInt8]) -> [String] {
    guard var position = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return [] }
    var text: [UInt8] = []
    while let end = answer[position...].firstRange(of: Array("\r\n".utf8)),
      let length = Int(String(decoding: answer[position..<end.lowerBound], as: UTF8.self), radix: 16), length > 0
    {
      guard end.upperBound + length + 2 <= answer.count else { break }
      text += answer[end.upperBound..<end.upperBound + length]
      position = end.upperBound + length + 2
    }
    return String(decoding: text, as: UTF8.self).components(separatedBy: "\n\n").filter { !$0.isEmpty && $0 != ":" }
  }
}
