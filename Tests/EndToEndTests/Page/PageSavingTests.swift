import Foundation
import TestSupport
import Testing

/// Each claim of the ranked list against a count that shares no code with this project: a script cuts the messages of the packets
/// (`savings_witness.py`), and connections are added up here from the rows of the CSV files.
@Suite struct PageSavingTests {
  private static let python = Environment.tool("python3")
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("savings_witness.py")
  private static let captures = [
    "apache-logio", "cookies-redirects", "curl-chunked-upload", "nginx-keepalive", "node-chunked", "pipelining",
    "swift-urlsession",
  ]

  @Test(.enabled(if: python != nil, "SKIPPED: python3 is not installed"), arguments: captures)
  func everyClaimIsTheWitness(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let outcome = try Command.run(try #require(Self.python), ["-B", Self.script.path, capture.path])
    try #require(outcome.status == 0, "\(outcome.error)")
    let witness = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.outputOctets)) as? [String: Int])
    for options in [[], ["--template"]] {
      let page = try Page([capture.path] + options)
      var claims: [String: [String: Any]] = [:]
      for saving in try #require(try page.data()["savings"] as? [[String: Any]]) {
        claims[try #require(saving["id"] as? String)] = saving
      }
      func claim(_ id: String, _ figure: String = "bytes") -> Int { claims[id]?[figure] as? Int ?? 0 }
      for id in ["again", "elsewhere", "retransmissions"] {
        #expect(claim(id) == witness[id] ?? 0, "\(id) \(options)")
      }
      for id in ["redirects", "errors"] { #expect(claim(id, "count") == witness[id] ?? 0, "\(id) \(options)") }
      // A field is compared with the message before of its API, which a template makes larger.
      if options.isEmpty { for id in ["fields", "cookies"] { #expect(claim(id) == witness[id] ?? 0, "\(id)") } }
      // Samples estimate it: within a tenth of the contents.
      #expect(abs(claim("gzip") - (witness["gzip"] ?? 0)) * 10 <= max(claim("gzip", "whole"), 1000), "gzip \(options)")
      let exchanges = page.report.exchanges.rows
      let redirects = exchanges.filter { ["301", "302", "303", "307", "308"].contains($0["status"]) }
      let errors = exchanges.filter { $0.integer("status") >= 400 || $0["response"].isEmpty }
      #expect(claim("redirects") == redirects.sum("ip_bytes") && claim("errors") == errors.sum("ip_bytes"))
      #expect(claim("connections") == beyondFirst(page.report))
    }
  }

  /// A WebSocket of HTTP/1 takes its connection for itself: of nine connections, two of three for HTTP/2 could be spared.
  @Test func connectionsOfWebSocketsAreNecessary() throws {
    let page = try Page([Corpus.folder.appendingPathComponent("websockets/sockets.pcapng.gz").path])
    let savings = try #require(try page.data()["savings"] as? [[String: Any]])
    let claim = try #require(savings.first { $0["id"] as? String == "connections" })
    #expect(page.report.connections.rows.count == 9 && claim["count"] as? Int == 2)
    #expect(claim["bytes"] as? Int == beyondFirst(page.report))
  }

  /// Setup, handshakes and teardown of all connections but tunnels and the most expensive one of each client, server and host.
  private func beyondFirst(_ report: Report) -> Int {
    var hosts: [String: String] = [:]
    for message in report.messages.rows where hosts[message["connection"]] == nil && !message["host"].isEmpty {
      hosts[message["connection"]] = message["host"]
    }
    let costs = Dictionary(
      grouping: report.connections.rows.filter { !$0["flags"].split(separator: " ").contains("tunnel") }
    ) { row in
      let client = row["client"].prefix { $0 != ":" || row["client"].hasPrefix("[") }
      return [
        client.split(separator: "]").first.map(String.init) ?? "", row["server"],
        hosts[row["connection"]] ?? row["sni"],
      ]
    }.values.map { $0.map { $0.integer("setup_bytes") + $0.integer("handshake_bytes") + $0.integer("teardown_bytes") } }
    return costs.reduce(0) { $0 + $1.reduce(0, +) - ($1.max() ?? 0) }
  }
}
