import HTTPReassembly
import Tabular

/// Whether hosts were reached by HTTP/3: those that used it, those that offered it and were reached in another way, and those that were
/// asked by QUIC in vain.
struct HTTP3Choice {
  /// Hosts that the line names for each reason.
  private static let named = 3

  /// Hosts without HTTP/3, with their exchanges and `ip_bytes`.
  private struct Others {
    var hosts: [(host: [UInt8], octets: Int)] = []
    var exchanges = 0
    var octets = 0

    mutating func add(_ host: HostTotals, _ totals: Totals) {
      let versions = host.exchanges
      let count = versions.http1.count + versions.http2.count
      // Without keys there are no exchanges, and yet octets.
      let length = count > 0 ? versions.http1.octets + versions.http2.octets : host.ipLength
      hosts.append((totals.texts.octets(host.host), length))
      exchanges += count
      octets += length
    }

    /// The hosts with the most octets, and the number of the others.
    func list(_ redaction: Redaction?) -> String {
      let order = hosts.sorted {
        $0.octets == $1.octets ? $0.host.lexicographicallyPrecedes($1.host) : $0.octets > $1.octets
      }
      var names = order.prefix(HTTP3Choice.named).map { TextEscaping.string(redaction?.host($0.host) ?? $0.host) }
      if order.count > names.count { names.append("\(Numerals.grouped(order.count - names.count)) more") }
      return names.joined(separator: ", ")
    }
  }

  /// A line for the summary; nil if no host used HTTP/3, offered it, or was asked by QUIC in vain, and where hosts were not added up.
  let line: String?

  init(_ totals: Totals, redaction: Redaction?) {
    var used = (hosts: 0, exchanges: 0, octets: 0)
    var (passed, failed) = (Others(), Others())
    for host in totals.hosts {
      let exchanges = host.exchanges
      if exchanges.http3.count > 0 {
        used.hosts += 1
        used.exchanges += exchanges.http3.count
        used.octets += exchanges.http3.octets
      } else if host.host != .none, exchanges.http1.count + exchanges.http2.count > 0 || host.connections.tls > 0 {
        if host.quic.failed > 0 {
          failed.add(host, totals)
        } else if host.alternatives.union(host.httpsRecords).contains(.http3) {
          passed.add(host, totals)
        }
      }
    }
    var parts: [String] = []
    func counted(_ count: Int, _ noun: String) -> String {
      Numerals.grouped(count) + " \(noun)" + (count == 1 ? "" : "s")
    }
    if used.hosts > 0 {
      parts.append(
        "\(counted(used.hosts, "host")) used it for \(Numerals.grouped(used.octets)) bytes "
          + "in \(counted(used.exchanges, "exchange"))")
    }
    for (others, reason) in [(passed, "offered it"), (failed, "did not take QUIC")] where !others.hosts.isEmpty {
      parts.append(
        "\(counted(others.hosts.count, "host")) \(reason) and sent \(Numerals.grouped(others.octets)) bytes"
          + (others.exchanges > 0 ? " in \(counted(others.exchanges, "exchange"))" : "")
          + " without it: \(others.list(redaction))")
    }
    line = parts.isEmpty ? nil : "HTTP/3: " + parts.joined(separator: "; ")
  }
}
