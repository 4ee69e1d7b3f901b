import HTTPReassembly
import Tabular

/// The groupings of the summary (`--by`). A new one is a case here, and one in `GroupKey` or a way to make its groups of totals.
public enum SummaryGrouping: String, CaseIterable, Sendable {
  /// Hosts, with all octets of their connections.
  case host
  /// Registrable domains by the Public Suffix List, with all octets of their hosts' connections.
  case domain
  /// Addresses of clients.
  case client
  /// Addresses and ports of servers.
  case server
  /// Media types of messages.
  case contentType = "content_type"
  /// Status codes of responses.
  case status
  /// Methods of requests.
  case method
  /// Names of processes, if captures or the system have them.
  case process

  /// The key that the analysis has to group by; nil where hosts have the figures.
  public var key: GroupKey? {
    switch self {
    case .host, .domain: nil
    case .client: .client
    case .server: .server
    case .contentType: .contentType
    case .status: .status
    case .method: .method
    case .process: .process
    }
  }

  /// Whether groups have all octets of connections; else messages alone.
  var isOfConnections: Bool { key?.isOfConnections ?? true }

  /// The heading of the groups' names.
  var title: String { self == .contentType ? "content type" : rawValue }

  /// The name of a group without a name.
  private var nameless: String {
    switch self {
    case .status: "(requests)"
    case .contentType: "(no content type)"
    case .process: "(unknown)"
    case .host, .domain, .client, .server, .method: "(others)"
    }
  }

  /// The groups, most octets first, equal ones by name. `isSelected` says that the totals have the groups of selected exchanges.
  func groups(
    _ totals: Totals, _ redaction: Redaction?, isSelected: Bool = false
  ) -> [(name: String, totals: GroupTotals)] {
    var groups = totals.groups
    if key == nil, !isSelected { groups = totals.hosts.map { GroupTotals($0, totals.texts) } }
    if self == .domain { groups = domains(of: groups) }
    var named = groups.map { group in
      let name = redacted(group.name, redaction)
      return (name: name.isEmpty ? nameless : TextEscaping.string(name), totals: group)
    }
    named.sort { a, b in
      a.totals.ipLength == b.totals.ipLength
        ? a.name.utf8.lexicographicallyPrecedes(b.name.utf8) : a.totals.ipLength > b.totals.ipLength
    }
    return named
  }

  private func redacted(_ name: [UInt8], _ redaction: Redaction?) -> [UInt8] {
    guard let redaction, !name.isEmpty else { return name }
    switch self {
    case .host, .domain, .client, .server: return redaction.host(name)
    case .contentType, .status, .method, .process: return name
    }
  }

  /// The groups of the registrable domains of hosts.
  private func domains(of hosts: [GroupTotals]) -> [GroupTotals] {
    var groups: [[UInt8]: GroupTotals] = [:]
    for host in hosts { groups[RegistrableDomain.of(host: host.name), default: GroupTotals()].add(host) }
    return groups.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { name in
      var group = groups[name]
      group?.name = name
      return group
    }
  }
}

extension GroupTotals {
  /// A host as a group.
  fileprivate init(_ host: HostTotals, _ texts: borrowing TextPool) {
    self.init()
    name = texts.octets(host.host)
    connections = host.connections.total
    requests = host.requests
    responses = host.responses
    up = host.up
    down = host.down
  }

  /// Adds the figures of another one; the name stays.
  mutating func add(_ other: GroupTotals) {
    connections += other.connections
    requests += other.requests
    responses += other.responses
    up += other.up
    down += other.down
  }
}
