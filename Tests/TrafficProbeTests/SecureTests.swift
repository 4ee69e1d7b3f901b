import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTPS, with a certificate that the test makes.
@Suite(
  "HTTPS", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was compared"),
  .enabled(if: Certificate.isPossible, "openssl is missing: nothing was compared"), .serialized)
struct SecureTests {
  @Test("A certificate that nobody trusts costs nothing, and the app sees the error that it sees without a probe")
  func stranger() async throws {
    let certificate = try Certificate()
    let server = try ProbeServer(tls: certificate.server)
    let visit = Visit(name: "", method: "POST", path: "/echo?q=1", body: Data(count: 77))
    let app = Probed()
    let with = try await visit.outcome(server.base, app.session)
    #expect(with.error != nil)
    #expect(try await visit.outcome(server.base, URLSession(configuration: .ephemeral)) == with)
    let records = try await app.records(count: 1)
    #expect(records.map(\.length) == [0])
    #expect(records.map(\.error) == [with.error])
    #expect(try server.messages().isEmpty)
  }

  @Test("A server that speaks no TLS costs nothing")
  func plain() async throws {
    let server = try ProbeServer()
    let app = Probed()
    let visit = Visit(name: "", path: "/bytes/1")
    #expect(try await visit.outcome("https://127.0.0.1:\(server.port)", app.session).error != nil)
    #expect(try await app.records(count: 1).map(\.length) == [0])
    #expect(try server.messages().isEmpty)
  }

  #if canImport(FoundationNetworking)
    @Test(
      "Which words of libcurl are of a handshake",
      arguments: [
        ("SSL certificate problem: certificate has expired", true),
        ("SSL: no alternative certificate subject name matches target host name 'localhost'", true),
        ("error:0A00010B:SSL routines::wrong version number", true),
        ("OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", false),
        ("transfer closed with 4000 bytes remaining to read", false),
        ("", false),
      ])
    func words(text: String, isHandshake: Bool) {
      let unknown = NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: text])
      #expect(LoadedExchange.neverLeft(unknown) == isHandshake)
      let other = NSError(domain: NSURLErrorDomain, code: -1005, userInfo: [NSLocalizedDescriptionKey: text])
      #expect(!LoadedExchange.neverLeft(other))
    }
  #endif

  #if os(Linux)
    /// FoundationNetworking trusts the certificates of the system's file and no others; the variable
    /// `URLSessionCertificateAuthorityInfoFile` is for Android only. So the client runs where the file is the test's own.
    @Test(
      "A certificate that is trusted: the same figures as without TLS",
      .enabled(if: Certificate.canBeTrusted, "no mount namespace (unshare) here"))
    func trusted() async throws {
      let certificate = try Certificate()
      let server = try ProbeServer(tls: certificate.server)
      let folder = try Folder()
      let store = folder.file("t.sqlite")
      let run = try await ClientRun(
        [
          "--server", server.base, "--store", store.path, "--log", folder.file("t.csv").path, "--requests", "1",
        ], wrapper: certificate.trusting)
      try #require(run.status == 0, "\(run)")
      let records = try TrafficProbe(store: store).records()
      let wire = try server.messages()
      #expect(records.count > 60)
      // Those that differ without TLS too; `WireTests` has the figures.
      for path in Set(records.map(\.path)).subtracting(["/odd", "/slow"]) {
        let paths = records.filter { $0.path == path }
        let messages = wire.filter { $0.path == path }
        let requests = messages.filter { $0.type == "request" }
        #expect(paths.filter { $0.kind == .request }.map(\.length) == requests.map(\.length), "\(path)")
        let responses = paths.filter { $0.kind == .response }
        guard responses.allSatisfy({ $0.framingLength != nil }) else { continue }
        #expect(responses.map(\.length) == messages.filter { $0.type == "response" }.map(\.length), "\(path)")
      }
    }
  #endif
}
