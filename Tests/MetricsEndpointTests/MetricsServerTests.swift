import FlyingSocks
import Foundation
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
    guard let socket = try? Socket(domain: AF_INET6, type: .stream) else { return false }
    defer { try? socket.close() }
    return (try? socket.bind(to: sockaddr_in6.inet6(ip6: "::1", port: 0))) != nil
  }

  @Test(.enabled(if: hasIPv6)) func servesIPv6() async throws {
    let server = MetricsServer(try MetricsAddress("[::1]:0"))
    let address = try await onThread { try server.start(within: 120) }
    // Foundation's URLSession takes no IPv6 literal on Linux.
    let client = try await AsyncSocket.connected(to: sockaddr_in6.inet6(ip6: address.host, port: address.port))
    try await client.write(Data("GET /metrics HTTP/1.1\r\nHost: [::1]\r\n\r\n".utf8))
    #expect(String(decoding: try await client.read(bytes: 15), as: UTF8.self) == "HTTP/1.1 200 OK")
    try client.close()
    try await onThread { server.stop() }
  }

  @Test func serves() async throws {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try await onThread { try server.start(within: 120) }
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
    let address = try await onThread { try first.start(within: 120) }
    let second = MetricsServer(address)
    let error = await #expect(throws: MetricsError.self) { try await onThread { try second.start(within: 120) } }
    #expect(error?.description == "cannot serve metrics on \(address): Address already in use")
    // The port is free again at once, though a connection was made.
    _ = try await get(address, "/")
    try await onThread { first.stop() }
    #expect(try await onThread { try second.start(within: 120) } == address)
    #expect(try await get(address, "/").status == 200)
    try await onThread { second.stop() }
  }

  @Test func addressThatIsNotHereIsRefused() async throws {
    let server = MetricsServer(try MetricsAddress("192.0.2.1:0"))
    let error = await #expect(throws: MetricsError.self) { try await onThread { try server.start(within: 120) } }
    #expect(error?.description.hasPrefix("cannot serve metrics on 192.0.2.1:0: ") == true)
  }

  @Test func idleConnectionsAreClosed() async throws {
    var limits = MetricsServer.Limits()
    limits.patience = .milliseconds(300)
    limits.connections = 2
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"), limits: limits)
    let address = try await onThread { try server.start(within: 120) }
    var idle: [AsyncSocket] = []
    for _ in 0..<5 {
      let socket = try await AsyncSocket.connected(to: sockaddr_in.inet(ip4: address.host, port: address.port))
      try? await socket.write(Data("GET /met".utf8))
      idle.append(socket)
    }
    // Those beyond the limit at once, the others when the time is over; reset where octets were on their way.
    for socket in idle { await #expect(throws: SocketError.self) { try await socket.read() } }
    #expect(try await get(address, "/").status == 200)
    for socket in idle { try socket.close() }
    try await onThread { server.stop() }
  }

  @Test func slowClientHoldsUpNothing() async throws {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try await onThread { try server.start(within: 120) }
    server.publish(Array(repeating: 0x23, count: 32 << 20))
    let slow = try await AsyncSocket.connected(to: sockaddr_in.inet(ip4: address.host, port: address.port))
    try await slow.write(Data("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    _ = try await slow.read()
    server.publish(Array("new 1\n".utf8))
    #expect(try await get(address, "/metrics").text == "new 1\n")
    let time = try await onThread { ContinuousClock().measure { server.stop() } }
    #expect(time < .seconds(4))
    try slow.close()
  }
}
