import Foundation
import TestSupport
import Testing

/// The summary answers why a capture costs what it does: savings that are those of the page, and an account that adds up.
@Suite struct SummaryAnswerTests {
  /// The parts of the line are all bytes of the capture, and each is the sum of rows of the CSV files.
  @Test(arguments: Corpus.captures) func theAccountAddsUp(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let lines = try Sniffer.run([capture.path], environment: ["COLUMNS": "200"]).outputLines
    let start = try #require(lines.firstIndex { $0.contains(" bytes = ") }, "\(lines)")
    // The line may be wrapped.
    let account = lines[start...].prefix { !$0.isEmpty }.joined(separator: " ")
      .split(separator: " bytes = ").map(String.init)
    try #require(account.count == 2)
    let original = try #require(report.ledger("original"))
    #expect(Int(account[0].filter(\.isNumber)) == original)
    var parts: [String: Int] = [:]
    for part in account[1].components(separatedBy: " + ") {
      let words = part.split(separator: " ", maxSplits: 1)
      let octets = try #require(Int(words[0].filter(\.isNumber)))
      #expect(octets > 0)
      parts[words[1].hasPrefix("of closed") ? "closed" : String(words[1])] = octets
    }
    #expect(parts.values.reduce(0, +) == original, "\(account)")
    func octets(_ rows: [CSVFile.Row]) -> Int { rows.sum("client_ip_bytes") + rows.sum("server_ip_bytes") }
    let connections = report.connections.rows
    // TLS of an unknown server name has a version, or record octets of its own.
    let closed = connections.filter { $0["tls_opened"] != "yes" && $0["messages"] == "0" && $0["protocol"] != "http1" }
      .filter { !$0["sni"].isEmpty || !$0["tls_version"].isEmpty || $0.integer("handshake_bytes") > 0 }
    let numbers = Set(closed.map { $0["connection"] })
    let open = connections.filter { !numbers.contains($0["connection"]) }
    let apis = report.apis.rows.sum("request_ip_bytes") + report.apis.rows.sum("response_ip_bytes")
    let openings = open.sum("setup_bytes") + open.sum("handshake_bytes") + open.sum("teardown_bytes")
    let link = (report.ledger("link") ?? 0) + (report.ledger("encapsulation") ?? 0)
    let opened = report.apis.rows.sum("request_tunnel_bytes") + report.apis.rows.sum("response_tunnel_bytes")
    #expect(parts["in APIs"] ?? 0 == apis - opened)
    #expect(parts["in WebSockets and other tunnels of APIs"] ?? 0 == opened)
    #expect(parts["closed"] ?? 0 == octets(closed))
    #expect(parts["of link headers"] ?? 0 == link)
    #expect(parts["to open and close connections"] ?? 0 == openings)
    let tunnels = parts["in tunnels of no API"] ?? 0
    #expect(tunnels == min((report.ledger("tunnel") ?? 0) - opened, open.sum("unattributed_bytes")))
    #expect(parts["of connections, in no message"] ?? 0 == octets(open) - apis - openings - tunnels)
    let others = (parts["of DNS and others"] ?? 0) + (parts["of others"] ?? 0)
    #expect(others == original - link - octets(connections))
    #expect((parts["of DNS and others"] == nil) == (report.ledger("udp") ?? 0 == 0 || others == 0))
  }

  /// A closed capture shows each host with the sums of its connections, and the next step.
  @Test func closedHostsHaveTheirCosts() throws {
    let capture = try Corpus.capture("tls-closed")
    let rows = Dictionary(grouping: try FileAnalysis.of(capture).report.connections.rows) { $0["sni"] }
    let lines = try Sniffer.run([capture.path], environment: ["COLUMNS": "120"]).outputLines
    #expect(lines.first?.hasPrefix("closed host") == true)
    for (host, connections) in rows {
      let line = try #require(lines.first { $0.hasPrefix(host + " ") })
      let (up, down) = (connections.sum("client_ip_bytes"), connections.sum("server_ip_bytes"))
      let cells = line.split(separator: " ").dropFirst().prefix(4).map { Int($0.filter(\.isNumber)) }
      #expect(cells == [connections.count, up, down, up + down], "\(line)")
      #expect(line.hasSuffix(" s"))
    }
    #expect(lines.contains { $0.contains("--keys FILE (sniffer guide says how to get one)") })
  }

  @Test func anEmptyCaptureHasNoParts() throws {
    let scratch = try Scratch()
    let file = try scratch.file("empty.pcap", PcapOctets(Corpus.capture("nginx-keepalive").url).part(0..<0))
    let lines = try Sniffer.run([file.path]).outputLines
    #expect(lines.contains("0 bytes") && !lines.contains { $0.contains(" =") }, "\(lines)")
  }

  /// The three lines are the first three of the page.
  @Test(arguments: ["demo", "mixed-2000", "cookies-redirects"]) func savingsAreThoseOfThePage(_ name: String) throws {
    let page = try Page([try Corpus.capture(name).path])
    let savings = try #require(try page.data()["savings"] as? [[String: Any]]).prefix(3)
    let lines = page.outcome.outputLines
    let start = try #require(lines.firstIndex { $0.hasPrefix("largest savings") })
    let shown = lines[(start + 1)...].prefix(3)
    #expect(shown.count == savings.count)
    for (line, saving) in zip(shown, savings) {
      let title = try #require(saving["title"] as? String)
      let octets = try #require(saving["bytes"] as? Int)
      #expect(line.hasPrefix(title) && line.filter(\.isNumber).contains("\(octets)"), "\(line)")
    }
  }

  /// Hundreds of look-alikes are shown by template, and reports have each path all the same.
  @Test func lookAlikesAreGrouped() throws {
    let demo = try Corpus.capture("demo").path
    let grouped = try Sniffer.run([demo])
    #expect(grouped.output.contains("/photos/{id}/320x240.jpg") && grouped.output.contains("--no-template shows each"))
    let each = try Sniffer.run([demo, "--no-template"])
    #expect(!each.output.contains("{id}") && each.output.contains("… and "))
    func total(_ outcome: Outcome) -> Substring? {
      outcome.outputLines.first { $0.hasPrefix("total ") }?.split(separator: " ").last
    }
    #expect(total(grouped) == total(each))
    let template = try Sniffer.run([demo, "--template"])
    let rows = { (outcome: Outcome) in outcome.outputLines.prefix { !$0.isEmpty }.filter { $0.contains("{id}") } }
    #expect(rows(grouped) == rows(template))
    #expect(try !Sniffer.run([demo, "--json", "--top", "0"]).output.contains("{id}"))
    #expect(try !Sniffer.run([try Corpus.capture("cookies-redirects").path]).output.contains("--no-template"))
    #expect(try Sniffer.run([demo, "--no-template", "--template"]).status == 64)
  }

  /// Remarks that the text has are notes of the document, too; and a condition does not change what is closed.
  @Test func notesAreInTheDocument() throws {
    let closed = try Corpus.capture("tls-closed").path
    let document = try Sniffer.run([closed, "--json"])
    let object = try JSONSerialization.jsonObject(with: Data(document.outputOctets)) as? [String: Any]
    #expect((object?["notes"] as? [String])?.contains { $0.contains("--keys FILE") } == true)
    let condition = try Sniffer.run([closed, "--where", "status == 404"])
    #expect(condition.output.hasPrefix("No exchanges.") && condition.output.contains("--keys FILE"))
    let cut = try Sniffer.run([try Corpus.capture("snaplen-96").path, "--json"])
    #expect(cut.output.contains("packets cut by the snap length"))
    let demo = try Sniffer.run([try Corpus.capture("demo").path, "--where", "status == 404"])
    #expect(!demo.output.contains("Most is closed"))
  }
}
