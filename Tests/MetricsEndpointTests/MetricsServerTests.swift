import Shared
import Testing

@testable import MetricsEndpoint

/// The server with a thread of its own.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MetricsServerTests {
  private static let last = "GET /metrics HTTP/1.0\r\n\r\n"

  private func started(
    _ limits: MetricsServer.Limits = .init()
  ) throws -> (server: MetricsServer, address: MetricsAddress) {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"), limits: limits)
    return (server, try server.start())
  }

  /// Whether this machine has an IPv6 loopback address; containers often have none.
  static var hasIPv6: Bool {
    guard let server = try? MetricsServer(MetricsAddress("[::1]:0")) else { return false }
    defer { server.stop() }
    return (try? server.start()) != nil
  }

  @Test(.enabled(if: hasIPv6, "this machine has no IPv6")) func servesIPv6() throws {
    let server = MetricsServer(try MetricsAddress("[::1]:0"))
    let address = try server.start()
    #expect(try RawClient.ask(address, Self.last).hasPrefix("HTTP/1.1 200 OK\r\n"))
    server.stop()
  }

  /// What has to be done before a process may make and bind no sockets any more, and what is left for afterwards.
  @Test func clientsOfAnOpenPortWaitUntilItIsServed() throws {
    let server = MetricsServer(try MetricsAddress("127.0.0.1:0"))
    let address = try server.open()
    #expect(address.port != 0)
    server.publish(Array("a 1\n".utf8))
    let client = try RawClient(address)
    client.send(Self.last)
    #expect(try server.start() == address)
    client.take { $0.isOver }
    #expect(client.text.hasSuffix("\r\n\r\na 1\n"))
    server.stop()
    // Nobody has the port any more, nor after it was open only.
    let second = MetricsServer(address)
    #expect(try second.open() == address)
    #expect(throws: MetricsError.self) { try MetricsServer(address).open() }
    second.stop()
    #expect(try MetricsServer(address).open() == address)
  }

  @Test func answersAreThoseOfRFC9110() throws {
    let (server, address) = try started()
    server.publish(Array("a 1\n".utf8))
    let asked: [(request: String, status: String, content: String)] = [
      ("GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200 OK", "a 1\n"),
      ("HEAD /metrics HTTP/1.0\r\n\r\n", "200 OK", ""),
      ("GET / HTTP/1.0\r\n\r\n", "200 OK", "sniffer's metrics for Prometheus are at /metrics\n"),
      ("GET /metrics/x HTTP/1.0\r\n\r\n", "404 Not Found", ""),
      ("GET /favicon.ico HTTP/1.0\r\n\r\n", "404 Not Found", ""),
      ("POST /metrics HTTP/1.0\r\nContent-Length: 2\r\n\r\nab", "405 Method Not Allowed", ""),
      ("GET / HTTP/1.1 and more\r\n\r\n", "400 Bad Request", ""),
      // Two on one connection.
      ("GET /x HTTP/1.1\r\nHost: x\r\n\r\n" + Self.last, "404 Not Found", "a 1\n"),
    ]
    for (request, status, content) in asked {
      let answer = try RawClient.ask(address, request)
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(request): \(answer)")
      #expect(answer.hasSuffix("\r\n\r\n\(content)"), "\(request): \(answer)")
    }
    // What a response to GET would say.
    #expect(try RawClient.ask(address, "HEAD /metrics HTTP/1.0\r\n\r\n").contains("content-length: 4\r\n"))
    server.stop()
  }

  @Test func serves() throws {
    let (server, address) = try started()
    #expect(address.port != 0)
    let large = String(repeating: "sniffer_packets_total 1\n", count: 100_000)
    server.publish(Array(large.utf8))
    let answer = try RawClient.ask(address, Self.last)
    #expect(
      answer == """
        HTTP/1.1 200 OK\r
        content-type: text/plain; version=0.0.4; charset=utf-8\r
        content-length: \(large.utf8.count)\r
        connection: close\r
        \r
        \(large)
        """)
    server.publish(Array("sniffer_packets_total 2\n".utf8))
    #expect(try RawClient.ask(address, Self.last).hasSuffix("\r\n\r\nsniffer_packets_total 2\n"))
    server.stop()
    #expect(throws: RawClient.Failure.self) { try RawClient(address) }
  }

  @Test func addressInUseIsOneLine() throws {
    let (first, address) = try started()
    let second = MetricsServer(address)
    let error = #expect(throws: MetricsError.self) { try second.start() }
    #expect(error?.description == "cannot serve metrics on \(address): Address already in use")
    // The port is free again at once, though a connection was made.
    _ = try RawClient.ask(address, Self.last)
    first.stop()
    #expect(try second.start() == address)
    #expect(try RawClient.ask(address, Self.last).hasPrefix("HTTP/1.1 200 OK\r\n"))
    second.stop()
  }

  @Test func addressThatIsNotHereIsRefused() throws {
    let server = MetricsServer(try MetricsAddress("192.0.2.1:0"))
    let error = #expect(throws: MetricsError.self) { try server.start() }
    #expect(error?.description.hasPrefix("cannot serve metrics on 192.0.2.1:0: ") == true)
  }

  /// Patience by the server's own clock.
  @Test func idleConnectionsAreClosed() throws {
    var limits = MetricsServer.Limits()
    limits.patience = .milliseconds(300)
    let (server, address) = try started(limits)
    for request in ["", "GET /met"] {
      let time = try ContinuousClock().measure {
        let answer = try RawClient.ask(address, request)
        #expect(answer == "")
      }
      #expect(time >= .milliseconds(300))
    }
    server.stop()
  }

  /// A thousand never ask: one that asks meanwhile is answered.
  @Test func aThousandSlowClientsHoldUpNothing() throws {
    try Descriptors.allow(1200)
    let (server, address) = try started()
    server.publish(Array("a 1\n".utf8))
    var slow: [RawClient] = []
    for number in 0..<1000 {
      slow.append(try RawClient(address))
      slow.last?.send(number % 2 == 0 ? "" : "GET /met")
      guard number % 50 == 49 else { continue }
      #expect(try RawClient.ask(address, Self.last).hasSuffix("\r\n\r\na 1\n"))
    }
    server.stop()
  }

  /// Whatever they are at.
  @Test func stopClosesAllConnections() throws {
    let (server, address) = try started()
    server.publish(Array(repeating: 0x23, count: 32 << 20))
    let clients = try ["", "GET /met", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"]
      .map {
        let client = try RawClient(address)
        client.send($0)
        return client
      }
    for client in clients.suffix(2) { client.take { !$0.received.isEmpty } }
    // All are taken in their order.
    _ = try RawClient.ask(address, "GET / HTTP/1.0\r\n\r\n")
    server.stop()
    for client in clients { client.take { $0.isOver } }
    #expect(clients[3].received.count < 32 << 20)
    #expect(throws: RawClient.Failure.self) { try RawClient(address) }
    // And nothing is left to be stopped.
    server.stop()
  }
}
