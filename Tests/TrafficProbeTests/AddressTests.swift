import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Hosts that are sent to other addresses under their own names.
@Suite("Other addresses", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was sent"), .serialized)
struct AddressTests {
  @Test("Plain HTTP goes to the address, and the server sees the name") func plain() async throws {
    let server = try ProbeServer()
    var options = ProbeOptions()
    options.addresses = ["api.invalid": "127.0.0.1:\(server.port)"]
    let app = Probed(options: options)
    let outcome = try await Visit(name: "", path: "/redirect/302/1").outcome("http://api.invalid:81", app.session)
    #expect(outcome.status == 200 && outcome.url == "http://api.invalid:81/bytes/64")
    #expect(try server.messages().allSatisfy { $0.host == "api.invalid:81" })
    #expect(try await app.records(count: 4).map(\.length) == server.messages().map(\.length))
  }

  @Test(
    "A place in words",
    arguments: [
      ("10.0.0.7", "10.0.0.7", 443), ("a.example:8443", "a.example", 8443), ("[::1]:8443", "::1", 8443),
      ("::1", "::1", 443), ("[::1]", "::1", 443), ("", nil, 0), (":80", nil, 0), ("a:0", nil, 0), ("a:65536", nil, 0),
      ("a:x", nil, 0), ("[::1", nil, 0), ("[::1]x", nil, 0),
    ] as [(String, String?, Int)])
  func places(text: String, host: String?, port: Int) {
    #expect(Tunnel.place(text, port: 443) == host.map { Tunnel.Place(host: $0, port: port) })
  }

  @Test("What asks for a tunnel, and where it leads") func targets() throws {
    let tunnel = try #require(Tunnel(["a.example": "127.0.0.1"]))
    defer { tunnel.end() }
    #expect(
      tunnel.target(of: "CONNECT A.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        == Tunnel.Place(host: "127.0.0.1", port: 443))
    for text in ["GET / HTTP/1.1\r\n\r\n", "CONNECT a.example:443\r\n\r\n", "CONNECT :1 HTTP/1.1\r\n\r\n", "\r\n\r\n"] {
      #expect(tunnel.target(of: text) == nil)
    }
    let other = tunnel.target(of: "CONNECT b.example:443 HTTP/1.1\r\n\r\n")
    #if canImport(FoundationNetworking)
      #expect(other == Tunnel.Place(host: "b.example", port: 443))
    #else
      #expect(other == nil)
    #endif
  }

  #if os(Linux)
    /// The client names its tunnel to libcurl by the environment. Its certificate is for a name that does not resolve.
    @Test(
      "HTTPS goes to the address with the app's name in TLS, and the certificate is checked for that name",
      .enabled(if: Certificate.isPossible, "openssl is missing: nothing was compared"),
      .enabled(if: Certificate.canBeTrusted, "no mount namespace (unshare) here"),
      arguments: ["api.probe.invalid", "other.probe.invalid"])
    func secure(name: String) async throws {
      let certificate = try Certificate(subject: "DNS:api.probe.invalid")
      let server = try ProbeServer(tls: certificate.server)
      let folder = try Folder()
      let store = folder.file("t.sqlite")
      let run = try await ClientRun(
        [
          "--server", "https://\(name):8443", "--store", store.path, "--load", "/bytes/9",
          "--address", "127.0.0.1:\(server.port)",
        ], wrapper: certificate.trusting)
      try #require(run.status == 0, "\(run)")
      let records = try TrafficProbe(store: store).records()
      let wire = try server.messages()
      if name == "api.probe.invalid" {
        #expect(wire.first?.sni == name && wire.first?.host == "\(name):8443")
        #expect(records.map(\.length) == wire.map(\.length) && records.map(\.status) == [nil, 200])
      } else {
        // The certificate is for another name.
        #expect(wire.isEmpty && records.map(\.length) == [0], "\(records) \(wire)")
      }
    }
  #endif
}
