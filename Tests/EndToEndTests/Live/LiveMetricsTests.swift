import Foundation
import TestSupport
import Testing

/// The Prometheus endpoint of a live run, scraped with curl, against the report of the same run.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveMetricsTests {
  @Test(.enabled(if: Environment.tool("curl") != nil, "curl is not installed"))
  func scrapesAgreeWithTheReport() throws {
    let curl = try #require(Environment.tool("curl"))
    let scratch = try Scratch()
    let server = try LocalServer()
    let run = try LiveRun(
      port: server.port, in: scratch,
      ["--allow-root", "--interval", "0.2", "--idle-timeout", "3", "--metrics", "127.0.0.1:0"])
    let line = try #require(run.process.error.split(separator: "\n").first { $0.contains("metrics on ") })
    let address = String(try #require(line.split(separator: " ").last))
    var page: Outcome?
    var last: [String: Int] = [:]
    func scrape() throws -> [String: Int] {
      let outcome = try Command.run(curl, ["-sS", "--fail", "--max-time", "300", address])
      try #require(outcome.status == 0, "\(outcome.error)")
      let now = samples(outcome.outputLines)
      for (name, value) in last where name.contains("sniffer_") && name.contains("_total") {
        #expect(now[name, default: -1] >= value, "\(name)")
      }
      // Every octet is in a class, or pending.
      #expect(
        sum(now, "sniffer_ledger_bytes_total{") + now["sniffer_pending_bytes", default: 0]
          == now["sniffer_packet_bytes_total", default: 0])
      (page, last) = (outcome, now)
      return now
    }
    // It is there at once, with all that is known beforehand at 0.
    #expect(try eventually { try scrape()["sniffer_packets_total"] == 0 })
    // Brought up to date each second, and the ring takes its time, too.
    for (count, all) in [(120, 120), (80, 200)] {
      try server.makeRequests(count)
      #expect(try eventually { try sum(scrape(), "sniffer_api_responses_total{") == all })
    }
    // Waits and hosts are those of final messages and connections: when no connection is left, all are.
    #expect(try eventually { try scrape()["sniffer_connections"] == 0 })
    #expect(try run.stop().status == 0)
    let final = last

    let live = try Report(folder: run.report)
    for row in live.ledger.rows.prefix(while: { $0["class"] != "total" }) {
      #expect(final["sniffer_ledger_bytes_total{class=\"\(row["class"])\"}"] == row.integer("bytes"), "\(row["class"])")
    }
    #expect(final["sniffer_packets_total"] == live.ledger("packets"))
    #expect(final["sniffer_pending_bytes"] == 0)
    #expect(sum(final, "sniffer_dropped_packets_total{") == live.ledger("dropped_packets"))
    #expect(final["sniffer_apis_labelled"] == live.apis.rows.count && final["sniffer_apis_in_other"] == 0)
    #expect(live.apis.rows.count > 100)
    for row in live.apis.rows {
      let api = "host=\"\(row["host"])\",path=\"\(row["path"])\""
      #expect(final["sniffer_api_requests_total{\(api)}"] == row.integer("requests"), "\(api)")
      #expect(final["sniffer_api_responses_total{\(api)}"] == row.integer("responses"), "\(api)")
      for (direction, message) in [("up", "request"), ("down", "response")] {
        let parts = final.filter {
          $0.key.hasPrefix("sniffer_api_bytes_total{direction=\"\(direction)\"")
            && $0.key.hasSuffix("path=\"\(row["path"])\"}")
        }
        #expect(parts.values.reduce(0, +) == row.integer("\(message)_ip_bytes"), "\(api) \(parts)")
      }
    }
    // Hosts: the connections have ended, so it is all of them.
    let hosts = try CSVFile([UInt8](Data(contentsOf: run.url("hosts.csv")))).rows
    for host in hosts {
      for direction in ["up", "down"] {
        let name = "sniffer_host_ip_bytes_total{direction=\"\(direction)\",host=\"\(host["host"])\"}"
        #expect(final[name] == host.integer("\(direction)_bytes"), "\(name)")
      }
      let parts = final.filter { $0.key.hasPrefix("sniffer_host_bytes_total{host=\"\(host["host"])\"") }
      #expect(parts.values.reduce(0, +) == host.integer("ip_bytes"), "\(host["host"])")
    }
    #expect(final["sniffer_hosts_labelled"] == hosts.count)
    #expect(final["sniffer_http_wait_seconds_count"] == 200)
    try MetricsWitness.check(#require(page))
    for row in live.anomalies.rows {
      #expect(final["sniffer_anomalies_total{name=\"\(row["name"])\"}"] == row.integer("count"), "\(row["name"])")
    }
  }

  /// A page's values by name and labels, which are in alphabetical order.
  private func samples(_ lines: [String]) -> [String: Int] {
    var samples: [String: Int] = [:]
    for line in lines where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      samples[String(line[..<space])] = Int(line[line.index(after: space)...])
    }
    return samples
  }

  private func sum(_ samples: [String: Int], _ prefix: String) -> Int {
    samples.reduce(0) { $1.key.hasPrefix(prefix) ? $0 + $1.value : $0 }
  }
}
