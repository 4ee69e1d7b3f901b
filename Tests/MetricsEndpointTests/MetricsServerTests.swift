import Foundation
import NIOCore
import Testing

@testable import MetricsEndpoint

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.serialized, .timeLimit(.minutes(1))) struct MetricsServerTests {
  /// Runs synchronous code as the analysis does, on a thread: it waits, which would hold up the tasks it waits for.
  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  private func get(_ address: MetricsAddress, _ path: String) async throws -> (status: Int, type: String?, text: String)
  {
    let url = try #require(URL(string: "http://\(address)\(path)"))
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let (data, response) = try await session.data(from: url)
    let http = try #require(response as? HTTPURLResponse)
    return (http.statusCode, http.value(forHTTPHeaderField: "Content-Type"), String(decoding: data, as: UTF8.self))
  }

  /// Whether this machine has an IPv6 loopback address; containers often have none.
  static var hasIPv6: Bool {
    guard let server = try? MetricsServer(MetricsAddress("[::1]:0")) else { return false }
    defer { server.stop() }
    return (try? server.start()) != nil
  }

  @Test(.enabled(if: hasIPv6, "this machine has no IPv6")) func servesIPv6() async throws {
    let server = MetricsServer(try MetricsAddress("[::1]:0"))
    let address = try await onThread { try server.start() }
    // Foundation's URLSession takes no IPv6 literal on Linux.
    let answer = try await RawClient.ask(address, "GET /metrics HTTP/1.0\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    try await onThread { server.stop() }
  }

  /// What has to be done before a process may make and bind no sockets any more, and what is left for afterwards.
  @Test func clientsOfAnOpenPortWaitUntilItIsServed() async throws {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try await onThread { try server.open() }
    #expect(address.port != 0)
    server.publish(Array("a 1\n".utf8))
    async let answer = RawClient.ask(address, "GET /metrics HTTP/1.0\r\n\r\n")
    #expect(try await onThread { try server.start() } == address)
    #expect(try await answer.hasSuffix("\r\n\r\na 1\n"))
    try await onThread { server.stop() }
    // Nobody has the port any more, nor after it was open only.
    let second = MetricsServer(address)
    #expect(try await onThread { try second.open() } == address)
    #expect(throws: MetricsError.self) { try MetricsServer(address).open() }
    try await onThread { second.stop() }
    #expect(try await onThread { try MetricsServer(address).open() } == address)
  }

  @Test func answersAreThoseOfRFC9110() async throws {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try await onThread { try server.start() }
    server.publish(Array("a 1\n".utf8))
    let asked: [(request: String, status: String, content: String)] = [
      ("GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200 OK", "a 1\n"),
      ("HEAD /metrics HTTP/1.0\r\n\r\n", "200 OK", ""),
      ("POST /metrics HTTP/1.0\r\nContent-Length: 2\r\n\r\nab", "405 Method Not Allowed", ""),
      ("GET / HTTP/1.1 and more\r\n\r\n", "400 Bad Request", ""),
      // Two on one connection.
      ("GET /x HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.0\r\n\r\n", "404 Not Found", "a 1\n"),
    ]
    for (request, status, content) in asked {
      let answer = try await RawClient.ask(address, request)
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(request): \(answer)")
      #expect(answer.hasSuffix("\r\n\r\n\(content)"), "\(request): \(answer)")
    }
    // What a response to GET would say.
    #expect(try await RawClient.ask(address, "HEAD /metrics HTTP/1.0\r\n\r\n").contains("content-length: 4\r\n"))
    try await onThread { server.stop() }
  }

  @Test func serves() async throws {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try await onThread { try server.start() }
    #expect(address.port != 0)
    let large = String(repeating: "sniffer_packets_total 1\n", count: 100_000)
    server.publish(Array(large.utf8))
    let metrics = try await get(address, "/metrics")
    #expect(metrics.status == 200)
    #expect(metrics.type == "text/plain; version=0.0.4; charset=utf-8")
    #expect(metrics.text == large)
    server.publish(Array("sniffer_packets_total 2\n".utf8))
    #expect(try await get(address, "/metrics").text == "sniffer_packets_total 2\n")
    #expect(try await get(address, "/").text.contains("/metrics"))
    #expect(try await get(address, "/metrics/x").status == 404)
    #expect(try await get(address, "/favicon.ico").status == 404)
    try await onThread { server.stop() }
    await #expect(throws: (any Error).self) { try await get(address, "/metrics") }
  }

  @Test func addressInUseIsOneLine() async throws {
    let first = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try await onThread { try first.start() }
    let second = MetricsServer(address)
    let error = await #expect(throws: MetricsError.self) { try await onThread { try second.start() } }
    #expect(error?.description == "cannot serve metrics on \(address): Address already in use")
    // The port is free again at once, though a connection was made.
    _ = try await get(address, "/")
    try await onThread { first.stop() }
    #expect(try await onThread { try second.start() } == address)
    #expect(try await get(address, "/").status == 200)
    try await onThread { second.stop() }
  }

  @Test func addressThatIsNotHereIsRefused() async throws {
    let server = MetricsServer(try MetricsAddress("192.0.2.1:0"))
    let error = await #expect(throws: MetricsError.self) { try await onThread { try server.start() } }
    #expect(error?.description.hasPrefix("cannot serve metrics on 192.0.2.1:0: ") == true)
  }

  @Test func idleConnectionsAreClosed() async throws {
    var limits = MetricsServer.Limits()
    limits.patience = .milliseconds(300)
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"), limits: limits)
    let address = try await onThread { try server.start() }
    for request in ["", "GET /met"] {
      let time = try await ContinuousClock().measure { _ = try await RawClient.ask(address, request) }
      #expect(time >= .milliseconds(300))
    }
    try await onThread { server.stop() }
  }

  @Test func connectionsBeyondTheLimitAreClosed() async throws {
    var limits = MetricsServer.Limits()
    limits.patience = .seconds(600)
    limits.connections = 2
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"), limits: limits)
    let address = try await onThread { try server.start() }
    let kept = [try await RawClient.connect(address), try await RawClient.connect(address)]
    for _ in 0..<3 { #expect(try await RawClient.ask(address, "GET / HTTP/1.0\r\n\r\n").isEmpty) }
    // Each that is closed makes room for another one.
    for connection in kept {
      #expect(
        try await RawClient.ask(connection, "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
    #expect(try await RawClient.ask(address, "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    try await onThread { server.stop() }
  }

  @Test func slowClientHoldsUpNothing() async throws {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try await onThread { try server.start() }
    server.publish(Array(repeating: 0x23, count: 32 << 20))
    try await RawClient.connect(address).executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"))
      var pieces = inbound.makeAsyncIterator()
      #expect(try await pieces.next() != nil)
      server.publish(Array("new 1\n".utf8))
      #expect(try await get(address, "/metrics").text == "new 1\n")
      let time = try await onThread { ContinuousClock().measure { server.stop() } }
      #expect(time < .seconds(4))
    }
  }
}
