import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads that the app gives up.
@Suite("Cancelling", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was cancelled"), .serialized)
struct CancellingTests {
  /// In a process of its own, because FoundationNetworking can end the process for a task that is cancelled just when it
  /// ends: `docs/traffic-probe.md` has when, and how often. With a probe it never may, so that a process that went down fails
  /// the test even where one without a probe goes down too; then both are shown.
  @Test("At any moment, many at once, over and over: the app hears of each one once, and goes on")
  func stress() async throws {
    let server = try ProbeServer()
    let arguments = ["--server", server.base, "--stress", "2000", "--probe"]
    let probed = try await ClientRun(arguments + ["yes"])
    if probed.status != 0 {
      let plain = try await ClientRun(arguments + ["no"])
      Issue.record("with a probe: \(probed)\nwithout: \(plain)")
    }
    #expect(probed.output.hasPrefix("2000 loads with a probe, "))
  }

  #if canImport(FoundationNetworking)
    @Test("What the app put into its cache is taken from there, with a probe too, and is on no wire")
    func cached() async throws {
      let server = try ProbeServer()
      let url = try #require(URL(string: server.base + "/bytes/50"))
      let response = try #require(
        HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1",
          headerFields: ["Cache-Control": "max-age=600", "Content-Length": "4"]))
      func fill(_ configuration: URLSessionConfiguration) {
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        configuration.urlCache?.storeCachedResponse(
          CachedURLResponse(response: response, data: Data("kept".utf8)), for: URLRequest(url: url))
      }
      let configuration = URLSessionConfiguration.ephemeral
      fill(configuration)
      let visit = Visit(name: "", path: "/bytes/50")
      let without = try await visit.outcome(server.base, URLSession(configuration: configuration))
      let app = Probed { fill($0) }
      #expect(try await visit.outcome(server.base, app.session) == without)
      #expect(without.body == Data("kept".utf8))
      let records = try await app.records(count: 2)
      #expect(records.map(\.length) == [0, 0] && records.map(\.source) == [.cache, .cache])
      #expect(try server.messages().isEmpty)
    }
  #endif
}
