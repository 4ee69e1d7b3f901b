import HTTPReassembly
import Tabular

/// Advice on the TLS and QUIC of a capture that was not opened, if it is most of the traffic.
struct SecureTraffic {
  /// Its amount, and its hosts.
  let finding: String
  /// The way to open it.
  let advice: String
  /// Its hosts, most octets first.
  let hosts: [SecureHostTotals]
  /// Leaves out personal facts.
  let redaction: Redaction?

  /// Nil when all is open, or less is closed than was read.
  init?(_ totals: Totals, redaction: Redaction?) {
    let hosts = totals.secureHosts
    guard !hosts.isEmpty else { return nil }
    let (up, down) = hosts.reduce((0, 0)) { ($0.0 + $1.up, $0.1 + $1.down) }
    let read = totals.apis.reduce(0) { $0 + $1.ipLength }
    guard up + down > read else { return nil }
    let count = hosts.reduce(0) { $0 + $1.connections }
    let named = hosts.filter { !$0.serverName.isEmpty }
    var names = named.prefix(3).map { TextEscaping.string(redaction?.host($0.serverName) ?? $0.serverName) }
    if named.count > 3 { names.append("\(Numerals.grouped(named.count - 3)) more") }
    let quic = hosts.reduce(0) { $0 + $1.quicConnections }
    let kinds = [(count - quic, "TLS"), (quic, "QUIC")].filter { $0.0 > 0 }.map { "\(Numerals.grouped($0.0)) \($0.1)" }
    let connections = kinds.joined(separator: " and ") + (count == 1 ? " connection" : " connections")
    let to = names.isEmpty ? "" : " to " + names.joined(separator: ", ")
    self.hosts = hosts
    self.redaction = redaction
    let guide = (["sniffer guide"] + [Self.platform(hosts)].compactMap(\.self)).joined(separator: " ")
    let start = totals.apis.isEmpty ? "No HTTP messages" : "Most is closed"
    finding =
      "\(start): \(connections)\(to), \(Numerals.grouped(up)) bytes up and \(Numerals.grouped(down)) bytes down."
    advice =
      totals.secrets.cameLate
      ? "Its secrets came behind its packets: give the capture by its name, or the secrets before it with --keys FILE."
      : totals.secrets.logs.contains { $0.octets > 0 }
        ? "The key log that was given does not open it: sniffer keys says why."
        : "To see inside, pass the app's TLS key log: --keys FILE (\(guide) says how to get one)."
  }

  /// The name of the guide to the platform of the apps; nil where the capture does not say it, or says several.
  private static func platform(_ hosts: [SecureHostTotals]) -> String? {
    let names = Set(hosts.compactMap(\.processSource?.platform))
    return names.count == 1 ? names.first : nil
  }
}

extension ProcessSource {
  /// The platform whose captures have it, as `sniffer guide` names it; nil where it is several.
  fileprivate var platform: String? {
    switch self {
    case .pcapdroid: "android"
    case .pymobiledevice3: "ios"
    case .ptcpdump, .rustnet: "linux"
    case .etl2pcapng: "windows"
    // An iPhone beside a Mac has the packet tap, too; and the running system may be either.
    case .pktap, .applePcapng, .live: nil
    }
  }
}
