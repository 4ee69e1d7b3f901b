import HTTPReassembly
import Tabular

/// Whether hosts were reached by HTTP/3: those that used it, and those that offered it (RFC 7838) and were reached in another way.
struct HTTP3Choice {
  /// Hosts that are named in the line.
  private static let named = 3

  /// A line for the summary; nil if no host used HTTP/3 or offered it, and where hosts were not added up.
  let line: String?

  init(_ totals: Totals, redaction: Redaction?) {
    var used = (hosts: 0, exchanges: 0, octets: 0)
    var passed: [(host: [UInt8], octets: Int)] = []
    var passedExchanges = 0
    for host in totals.hosts {
      let exchanges = host.exchanges
      if exchanges.http3.count > 0 {
        used.hosts += 1
        used.exchanges += exchanges.http3.count
        used.octets += exchanges.http3.octets
      } else if host.alternatives.contains(.http3), host.host != .none {
        passed.append((totals.texts.octets(host.host), exchanges.http1.octets + exchanges.http2.octets))
        passedExchanges += exchanges.http1.count + exchanges.http2.count
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
    if !passed.isEmpty {
      passed.sort { $0.octets == $1.octets ? $0.host.lexicographicallyPrecedes($1.host) : $0.octets > $1.octets }
      var names = passed.prefix(Self.named).map { TextEscaping.string(redaction?.host($0.host) ?? $0.host) }
      if passed.count > Self.named { names.append("\(Numerals.grouped(passed.count - Self.named)) more") }
      let octets = passed.reduce(0) { $0 + $1.octets }
      parts.append(
        "\(counted(passed.count, "host")) offered it and sent \(Numerals.grouped(octets)) bytes in "
          + "\(counted(passedExchanges, "exchange")) without it: \(names.joined(separator: ", "))")
    }
    line = parts.isEmpty ? nil : "HTTP/3: " + parts.joined(separator: "; ")
  }
}
