import Foundation
import TestSupport
import Testing

/// What `--by` prints, held against the rows of the same capture: each group has what its rows have, and together they have everything.
enum GroupSums {
  static func check(_ report: Report, _ arguments: [String]) throws {
    let connections = report.connections.rows
    let whole = connections.sum("client_ip_bytes") + connections.sum("server_ip_bytes")
    let messages = report.messages.rows.sum("ip_bytes")
    for key in ["host", "domain", "client", "server", "content_type", "status", "method", "process"] {
      let groups = try Self.groups(key, arguments)
      let isOfConnections = ["host", "domain", "client", "server", "process"].contains(key)
      #expect(groups.sum("ip_bytes") == (isOfConnections ? whole : messages), "\(key)")
      #expect(groups.sum("requests") == report.messages.rows.count { $0["type"] == "request" }, "\(key)")
      #expect(groups.sum("responses") == report.messages.rows.count { $0["type"] == "response" }, "\(key)")
      #expect(groups.allSatisfy { ($0["up_bytes"] as? Int ?? -1) >= 0 && ($0["down_bytes"] as? Int ?? -1) >= 0 })
      if isOfConnections {
        #expect(groups.sum("up_bytes") == connections.sum("client_ip_bytes"), "\(key)")
        #expect(groups.sum("connections") == connections.count, "\(key)")
      }
      guard let expected = octets(key, report) else { continue }
      let found = groups.compactMap { $0["ip_bytes"] as? Int }
      #expect(found.filter { $0 > 0 }.sorted() == expected.values.filter { $0 > 0 }.sorted(), "\(key)")
      guard key == "process" else { continue }
      for group in groups {
        let name = group["name"] as? String ?? ""
        #expect(group["ip_bytes"] as? Int == expected[name == "(unknown)" ? "" : name], "\(name)")
      }
    }
  }

  /// The octets of each group, by its name; nil where the rows do not say it.
  private static func octets(_ key: String, _ report: Report) -> [String: Int]? {
    var octets: [String: Int] = [:]
    switch key {
    case "host": for row in report.hosts.rows { octets[row["host"], default: 0] += row.integer("ip_bytes") }
    case "client", "server":
      for row in report.connections.rows {
        let end = key == "server" ? row[key] : String(row[key][..<(row[key].lastIndex(of: ":") ?? row[key].endIndex)])
        octets[end, default: 0] += row.integer("client_ip_bytes") + row.integer("server_ip_bytes")
      }
    case "method": for row in report.messages.rows { octets[row[key], default: 0] += row.integer("ip_bytes") }
    case "status":
      for row in report.messages.rows {
        let name = row[key].isEmpty && row["type"] != "request" ? "(unknown)" : row[key]
        octets[name, default: 0] += row.integer("ip_bytes")
      }
    case "process":
      // A message is its process's; what a connection has beside its messages is the connection's.
      let messages = Dictionary(grouping: report.messages.rows) { $0["connection"] }
      for row in report.connections.rows {
        let own = messages[row["connection"]] ?? []
        for message in own { octets[message["process"], default: 0] += message.integer("ip_bytes") }
        octets[row["process"], default: 0] +=
          row.integer("client_ip_bytes") + row.integer("server_ip_bytes") - own.sum("ip_bytes")
      }
    default: return nil
    }
    return octets
  }

  private static func groups(_ key: String, _ arguments: [String]) throws -> [[String: Any]] {
    let outcome = try Sniffer.run(arguments + ["--json", "--quiet", "--top", "0", "--by", key])
    let document = try JSONSerialization.jsonObject(with: Data(outcome.outputOctets)) as? [String: Any]
    return try #require((document?["groups"] as? [String: Any])?["rows"] as? [[String: Any]], "\(outcome.error)")
  }
}

extension [[String: Any]] {
  fileprivate func sum(_ column: String) -> Int { reduce(0) { $0 + ($1[column] as? Int ?? 0) } }
}
