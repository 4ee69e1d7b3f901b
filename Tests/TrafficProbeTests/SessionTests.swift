import Foundation
import SessionClient
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sessions that a library makes for itself.
@Suite("Sessions of others", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was metered"), .serialized)
struct SessionTests {
  @Test("A library's own session is metered through the configuration that it takes: every try, to the octet")
  func given() async throws {
    let server = try ProbeServer()
    let probe = TrafficProbe(store: nil)
    let configuration = ClientSession.defaultConfiguration
    probe.inject(into: configuration)
    let client = ClientSession(configuration: configuration, retryLimit: 2) {
      var request = $0
      request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
      return request
    }
    let base = try #require(URL(string: server.base))
    let posted = try await client.send(
      base.appendingPathComponent("echo/items"), method: "POST", parameters: ["name": "pear"])
    #expect(posted.status == 200 && posted.body == Data(#"{"name":"pear"}"#.utf8))
    // Sent three times, as the library's own rule says.
    let failed = try await client.send(base.appendingPathComponent("status/503"))
    #expect(failed.status == 503 && failed.tries == 3)
    let moved = try await client.send(base.appendingPathComponent("redirect/302/1"), headers: ["X-Trace": "1"])
    #expect(moved.status == 200 && moved.body.count == 64)
    try await wait { probe.statistics.recorded >= 12 }
    let wire = try server.messages()
    let records = try probe.records()
    #expect(records.map(\.path) == wire.map(\.path) && records.map(\.status) == wire.map(\.status))
    #expect(records.map(\.length) == wire.map(\.length))
    #expect(wire.allSatisfy { $0.raw?.contains("X-Client: SessionClient/1\r\n") ?? true })
  }

  @Test("After stop() its sessions continue, and nothing more is recorded")
  func stopped() async throws {
    let server = try ProbeServer()
    let probe = TrafficProbe(store: nil)
    let configuration = ClientSession.defaultConfiguration
    probe.inject(into: configuration)
    let client = ClientSession(configuration: configuration)
    let url = try #require(URL(string: server.base + "/bytes/7"))
    #expect(try await client.send(url).body.count == 7)
    try await wait { probe.statistics.recorded == 2 }
    probe.stop()
    #expect(try await client.send(url).body.count == 7)
    #expect(probe.statistics.recorded == 2)
    #expect(try server.messages().count == 4)
  }

  #if canImport(FoundationNetworking)
    @Test("A session that a library makes of a configuration of its own is not seen on Linux, and start() says so")
    func own() async throws {
      let server = try ProbeServer()
      let probe = TrafficProbe(store: nil)
      #expect(!probe.start())
      defer { probe.stop() }
      let url = try #require(URL(string: server.base + "/bytes/7"))
      #expect(try await ClientSession().send(url).body.count == 7)
      #expect(probe.statistics.recorded == 0)
    }
  #else
    @Test("A session that a library makes of a configuration of its own is metered after start(), until stop()")
    func own() async throws {
      let server = try ProbeServer()
      let probe = TrafficProbe(store: nil)
      #expect(probe.start())
      let url = try #require(URL(string: server.base + "/bytes/7"))
      #expect(try await ClientSession().send(url).body.count == 7)
      try await wait { probe.statistics.recorded == 2 }
      probe.stop()
      #expect(try await ClientSession().send(url).body.count == 7)
      #expect(EverySession.isWithout(URLSessionConfiguration.default.protocolClasses))
      #expect(probe.statistics.recorded == 2)
    }
  #endif

  @Test("Which configurations get a probe")
  func without() {
    final class Other: URLProtocol {}
    #expect(EverySession.isWithout(nil) && EverySession.isWithout([Other.self]))
    #expect(!EverySession.isWithout([Other.self, FirstSlot.protocolClass]))
    #expect(!EverySession.isWithout([EverySession.Unmetered.self]))
  }
}
