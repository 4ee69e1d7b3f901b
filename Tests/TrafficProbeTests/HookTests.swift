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

  @Test(
    "A response is changed before the app sees it, and the record has the wire's", arguments: ["bytes/9", "gzip/9000"])
  func rewriteResponse(path: String) async throws {
    let server = try ProbeServer()
    var options = ProbeOptions()
    options.rewriteResponse = { request, response in
      var response = response
      response.status = 202
      response.headers["X-Seen"] = "\(request.url?.path ?? "") \(response.body.count)"
      response.body = Data("changed".utf8)
      return response
    }
    let app = Probed(options: options)
    let outcome = try await Visit(name: "", path: "/" + path).outcome(server.base, app.session)
    #expect(outcome.status == 202 && outcome.body == Data("changed".utf8) && outcome.expected == 7)
    let count = path.split(separator: "/")[1]
    #expect(outcome.headers["X-Seen"] == "/\(path) \(count)" && outcome.headers["Content-Length"] == "7")
    let records = try await app.records(count: 2)
    let wire = try server.messages()
    #expect(records.map(\.length) == wire.map(\.length) && records.map(\.status) == [nil, 200])
  }

  @Test("What is too long to be held or fails is not changed")
  func notRewritten() async throws {
    let server = try ProbeServer()
    var options = ProbeOptions()
    options.rewriteResponse = { _, _ in StubResponse(status: 500) }
    let app = Probed(options: options)
    let plain = URLSession(configuration: .ephemeral)
    for path in ["/bytes/\(HeldResponse.limit + 1)", "/cut"] {
      let visit = Visit(name: "", path: path)
      #expect(try await visit.outcome(server.base, app.session) == visit.outcome(server.base, plain))
    }
    let longest = Visit(name: "", path: "/bytes/\(HeldResponse.limit)")
    #expect(try await longest.outcome(server.base, app.session).status == 500)
  }

  @Test("The switch holds at once, for sessions that exist, and after a restart") func turnedOff() async throws {
    let server = try ProbeServer()
    let folder = try Folder()
    var options = ProbeOptions()
    options.stub = { $0.url?.path == "/stub" ? StubResponse(status: 201) : nil }
    let app = Probed(store: folder.file("t.sqlite"), options: options)
    let visit = Visit(name: "", path: "/bytes/3")
    #expect(app.probe.isOn)
    app.probe.isOn = false
    #expect(try await visit.outcome(server.base, app.session).status == 200)
    #expect(try await Visit(name: "", path: "/stub").outcome(server.base, app.session).status == 404)
    #expect(app.probe.statistics.recorded == 0)
    // As the next launch of the app would find it.
    options.isOnAtFirst = true
    let next = Probed(store: folder.file("t.sqlite"), options: options)
    #expect(!next.probe.isOn)
    next.probe.isOn = true
    #expect(try await visit.outcome(server.base, next.session).status == 200)
    #expect(try await next.records(count: 2).count == 2)
    #expect(TrafficProbe(store: folder.file("t.sqlite")).isOn)
    // Another store has a switch of its own, and a file with other content says nothing.
    options.isOnAtFirst = false
    #expect(!TrafficProbe(store: folder.file("u.sqlite"), options: options).isOn)
    try Data("offside".utf8).write(to: folder.file("v.sqlite.switch"))
    #expect(TrafficProbe(store: folder.file("v.sqlite")).isOn)
    let homeless = TrafficProbe(store: folder.file("none/t.sqlite"))
    homeless.isOn = false
    #expect(!homeless.isOn && homeless.statistics.lastError != nil)
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
