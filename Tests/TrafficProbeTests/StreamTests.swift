import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking

  /// Bodies without a length: streams of the session's delegate, and streams that are cut off.
  @Suite("Streams", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was compared"), .serialized)
  struct StreamTests {
    /// Gives each task that asks a stream of so many octets.
    private final class Giver: NSObject, URLSessionDataDelegate, Sendable {
      let octets: Int
      private let ends = AsyncStream.makeStream(of: Void.self)

      init(octets: Int) { self.octets = octets }

      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
      ) { completionHandler(InputStream(data: Data(count: octets))) }

      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        ends.continuation.yield()
      }

      /// Waits for the end of a task.
      func end() async { for await _ in ends.stream { return } }
    }

    @Test(
      "A stream of the delegate is announced with Expect, which is counted, also where the app set it",
      arguments: [("POST", 1000, false), ("PUT", 300_000, false), ("PUT", 1000, true)])
    func expect(method: String, octets: Int, isOwn: Bool) async throws {
      let server = try ProbeServer()
      let giver = Giver(octets: octets)
      let app = Probed(delegate: giver)
      var request = try Visit(name: "", method: method, path: "/take").request(server.base)
      if isOwn { request.setValue("100-continue", forHTTPHeaderField: "expect") }
      app.session.uploadTask(withStreamedRequest: request).resume()
      await giver.end()
      let wire = try #require(server.messages().first)
      #expect(wire.raw?.lowercased().contains("expect: 100-continue\r\n") == true)
      let record = try #require(try await app.records(count: 2).first)
      #expect(record.lineLength == wire.line && record.headerLength == wire.header && record.bodyLength == wire.body)
      #expect(record.framingLength == nil && record.unknown == "framing" && wire.framing > 0)
    }

    @Test("Expect that the app set for a body of its own is sent once")
    func ownExpect() async throws {
      let server = try ProbeServer()
      let app = Probed()
      let visit = Visit(
        name: "", method: "POST", path: "/take", headers: ["Expect": "100-continue"], body: Data(count: 9))
      #expect(try await visit.outcome(server.base, app.session).status == 200)
      #expect(try await app.records(count: 2)[0].headerLength == server.messages()[0].header)
    }

    @Test("A stream that is cut off counts the chunks that were given, and no last one")
    func cut() async throws {
      let server = try ProbeServer()
      let app = Probed()
      let octets = 50_000_000
      let visit = Visit(name: "", method: "POST", path: "/stop", stream: Data(count: octets))
      #expect(try await visit.outcome(server.base, app.session).error != nil)
      let record = try #require(try await app.records(count: 1).first)
      #expect(record.kind == .request && record.unknown == "cut" && !record.error.isEmpty)
      #expect((100_000..<octets).contains(record.bodyLength))
      // libcurl's pieces are all of one length but for the last one, so that each costs the same.
      let framing = try #require(record.framingLength)
      var whole = ChunkFraming()
      let pieces = Int((Double(record.bodyLength) / 65_524).rounded(.up))
      for _ in 0..<pieces { whole.add(65_524) }
      #expect(framing == whole.octetsOfChunks && framing == pieces * 8)
    }

    /// FoundationNetworking counts what a task sent for sessions with a delegate only; without one the whole body stands for it.
    @Test("An upload that is cut off counts what was given, where that is shown", arguments: [true, false])
    func cutUpload(hasDelegate: Bool) async throws {
      let server = try ProbeServer()
      let giver = hasDelegate ? Giver(octets: 0) : nil
      let app = Probed(delegate: giver)
      let octets = 50_000_000
      let request = try Visit(name: "", method: "POST", path: "/stop").request(server.base)
      app.session.uploadTask(with: request, from: Data(count: octets)).resume()
      let record = try #require(try await app.records(count: 1).first)
      #expect(record.unknown == "cut" && record.framingLength == 0 && !record.error.isEmpty)
      #expect(hasDelegate ? (100_000..<octets).contains(record.bodyLength) : record.bodyLength == octets)
    }
  }
#endif
