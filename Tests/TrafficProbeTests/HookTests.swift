import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the app may ask of the probe.
@Suite("Hooks", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was tried"), .serialized)
struct HookTests {
  @Test("Another host, the same Host field, an added field; the app sees its own URL") func rewrite() async throws {
    let server = try ProbeServer()
    let port = server.port
    var options = ProbeOptions()
    options.rewrite = { request in
      var request = request.sent(toHost: "127.0.0.1", port: port)
      request.setValue("1", forHTTPHeaderField: "X-Probe")
      return request
    }
    let app = Probed(options: options)
    let outcome = try await Visit(name: "", path: "/bytes/9?q=1").outcome("http://api.invalid:8080", app.session)
    #expect(outcome.status == 200 && outcome.body?.count == 9)
    #expect(outcome.url == "http://api.invalid:8080/bytes/9?q=1")
    let wire = try #require(server.messages().first)
    #expect(wire.host == "api.invalid:8080" && wire.raw?.contains("X-Probe: 1\r\n") == true)
    let records = try await app.records(count: 2)
    #expect(records.map(\.host) == ["api.invalid:8080", "api.invalid:8080"])
    #expect(records[0].length == wire.line + wire.header)
  }

  @Test("A stub answers without the network, and nothing is recorded") func stub() async throws {
    var options = ProbeOptions()
    options.stub = {
      $0.url?.path == "/stub" ? StubResponse(status: 201, headers: ["X-A": "1"], body: Data("hi".utf8)) : nil
    }
    let app = Probed(options: options)
    let outcome = try await Visit(name: "", path: "/stub").outcome("http://127.0.0.1:1", app.session)
    #expect(outcome.status == 201 && outcome.body == Data("hi".utf8) && outcome.headers["X-A"] == "1")
    #expect(try await Visit(name: "", path: "/x").outcome("http://127.0.0.1:1", app.session).status == nil)
    #expect(try await app.records(count: 1).map(\.path) == ["/x"])
  }

  @Test("Which requests are taken") func filter() throws {
    var options = ProbeOptions()
    func takes(_ url: String) throws -> Bool { try options.take(URLRequest(url: #require(URL(string: url)))) }
    #expect(try takes("http://a.example/") && takes("HTTPS://a.example/") && !takes("ftp://a.example/"))
    #expect(try !takes("ws://a.example/") && !takes("data:,x"))
    options.hosts = ["a.example", "*.b.example"]
    #expect(try takes("http://A.example:81/") && takes("http://x.y.b.example/"))
    #expect(try !takes("http://b.example/") && !takes("http://evilb.example/") && !takes("http://xa.example/"))
    options.schemes = ["https"]
    #expect(try !takes("http://a.example/"))
    options.takes = { $0.url?.path != "/no" }
    #expect(try takes("https://a.example/yes") && !takes("https://a.example/no"))
  }

  @Test("What is not taken still loads") func notTaken() async throws {
    let server = try ProbeServer()
    var options = ProbeOptions()
    options.hosts = ["other.example"]
    let app = Probed(options: options)
    #expect(try await Visit(name: "", path: "/bytes/3").outcome(server.base, app.session).status == 200)
    #expect(app.probe.statistics.recorded == 0)
  }

  @Test("Query values are in neither store nor log") func privacy() async throws {
    let server = try ProbeServer()
    let folder = try Folder()
    let app = Probed(store: folder.file("t.sqlite"))
    _ = try await Visit(name: "", path: "/bytes/3?token=SECRET").outcome(server.base, app.session)
    _ = try await Visit(name: "", path: "/x?token=SECRET").outcome("http://127.0.0.1:1", app.session)
    #expect(try await app.records(count: 3).map(\.queryLength) == [12, 12, 12])
    app.probe.flush()
    try app.probe.writeLog(to: folder.file("t.csv"))
    for name in ["t.sqlite", "t.csv"] {
      let octets = try Data(contentsOf: folder.file(name))
      #expect(octets.count > 100 && octets.range(of: Data("SECRET".utf8)) == nil)
    }
    #expect(try app.probe.traffic().map(\.path) == ["/bytes/3", "/x"])
  }
}
