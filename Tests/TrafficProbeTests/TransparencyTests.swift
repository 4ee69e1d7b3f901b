import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An app sees the same with and without the probe.
@Suite(
  "What the app sees", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was compared"), .serialized,
  .timeLimit(.minutes(10)))
struct TransparencyTests {
  @Test("Status, fields, content and errors are the same; so is what the server gets", arguments: Visit.all)
  func same(visit: Visit) async throws {
    let server = try ProbeServer()
    let plain = URLSession(configuration: .ephemeral)
    let app = Probed()
    let jar = try #require(URL(string: server.base + "/cookies"))
    _ = try await plain.data(from: jar)
    _ = try await app.session.data(from: jar)

    let without = try await visit.outcome(server.base, plain)
    let between = try server.messages()
    let with = try await visit.outcome(server.base, app.session)
    let after = try server.messages().filter { $0.type == "request" }
    #expect(with == without)
    let first = between.dropFirst(4).filter { $0.type == "request" }
    let second = after.dropFirst(between.filter { $0.type == "request" }.count)
    #expect(first.map { Self.sorted($0.raw) } == second.map { Self.sorted($0.raw) })
    #expect(first.map(\.body) == second.map(\.body))
  }

  /// The lines of a message in an order of their own, cookies too: dictionaries give them in any.
  static func sorted(_ raw: String?) -> [String] {
    (raw ?? "").components(separatedBy: "\r\n").map {
      $0.hasPrefix("Cookie: ") ? $0.dropFirst(8).components(separatedBy: "; ").sorted().joined() : $0
    }.sorted()
  }

  @Test(
    "A delegate is told the same",
    arguments: ["/bytes/100000", "/redirect/302/2", "/auth", "/cut", "/none", "/chunked/5000"])
  func delegate(path: String) async throws {
    let server = try ProbeServer()
    let visit = Visit(name: "", path: path)
    let plain = Witness()
    let probed = Witness()
    let session = URLSession(configuration: .ephemeral, delegate: plain, delegateQueue: nil)
    let app = Probed(delegate: probed)
    let without = try await plain.load(visit.request(server.base), in: session)
    let with = try await probed.load(visit.request(server.base), in: app.session)
    #expect(with == without)
    #expect(!with.isEmpty)
  }

  @Test(
    "A hook that changes no response is not noticed", arguments: ["/gzip/9000", "/redirect/302/2", "/auth", "/cut"])
  func unchanged(path: String) async throws {
    let server = try ProbeServer()
    let plain = Witness()
    let probed = Witness()
    var options = ProbeOptions()
    options.rewriteResponse = { $1 }
    let session = URLSession(configuration: .ephemeral, delegate: plain, delegateQueue: nil)
    let app = Probed(options: options, delegate: probed)
    let request = try Visit(name: "", path: path).request(server.base)
    #expect(try await plain.load(request, in: session) == probed.load(request, in: app.session))
  }

  @Test("A delegate may refuse a redirect, and change one")
  func redirectAnswers() async throws {
    let server = try ProbeServer()
    for answer in [Witness.Redirects.refuse, .change] {
      let plain = Witness(redirects: answer)
      let probed = Witness(redirects: answer)
      let session = URLSession(configuration: .ephemeral, delegate: plain, delegateQueue: nil)
      let app = Probed(delegate: probed)
      let request = try Visit(name: "", path: "/redirect/302/1").request(server.base)
      #expect(try await plain.load(request, in: session) == probed.load(request, in: app.session))
      let records = try await app.records(count: answer == .refuse ? 2 : 4)
      #expect(records.map(\.status) == (answer == .refuse ? [nil, 302] : [nil, 302, nil, 200]))
    }
  }

  @Test("The shared session is metered once the probe is registered, and no more once it is stopped")
  func shared() async throws {
    let server = try ProbeServer()
    let run = try await ClientRun(["--server", server.base, "--shared", "yes"])
    #expect(run.output == "registered true, 3 octets with 2 records, 3 octets with 0 more\n")
  }
}
