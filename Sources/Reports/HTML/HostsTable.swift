import HTTPReassembly

/// The hosts with the most expensive connections, and the sums of the others.
struct HostsTable {
  let totals: Totals
  let name: PageName

  /// The parts of hosts' octets, in the order of the page's bars.
  static let parts = [
    "start_line", "header", "body", "framing", "trailer", "control", "tls", "handshake", "setup", "teardown",
    "overhead", "retransmitted", "unopened", "unattributed", "tunnel",
  ]

  /// The columns of exchanges by the version of HTTP, and of QUIC connections that failed or were raced.
  private static let versions = ["http1", "http2", "http3", "quic_failed", "quic_raced"]

  /// The table.
  var table: PageTable {
    let order = totals.hosts.indices.sorted { a, b in
      let (mine, other) = (totals.hosts[a].ipLength, totals.hosts[b].ipLength)
      return mine == other ? shown(totals.hosts[a]) < shown(totals.hosts[b]) : mine > other
    }
    let hidden = order.dropFirst(PageLimits.rows).map { Self.figures(totals.hosts[$0]) }
    let rest = hidden.first.map { first in
      hidden.dropFirst().reduce(first) { sums, row in zip(sums, row).map { $0 + $1 } }
    }
    return PageTable(
      ["host", "source", "offers", "connections", "reused", "requests", "responses", "up", "down"] + Self.versions
        + Self.parts,
      order.prefix(PageLimits.rows).map { index in
        let host = totals.hosts[index]
        return [
          .text(shown(host)), .text(host.sources.labels.joined(separator: " ")),
          .text(host.alternatives.union(host.httpsRecords).labels.joined(separator: " ")),
        ]
          + Self.figures(host).map { .integer($0) }
      }, total: order.count, rest: rest.map { [.null, .null, .null] + $0.map { .integer($0) } })
  }

  private func shown(_ host: HostTotals) -> String { name.host(totals.texts.octets(host.host)) }

  private static func figures(_ host: HostTotals) -> [Int] {
    let octets = host.octets
    return [
      host.connections.total, host.reusedConnections, host.requests, host.responses, host.up, host.down,
      host.exchanges.http1.count, host.exchanges.http2.count, host.exchanges.http3.count,
      host.quic.failed, host.quic.raced,
      octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, host.control, host.tls,
      host.handshake, host.setup, host.teardown, host.overhead, host.retransmitted, host.unopened,
      host.unattributed, host.tunnel,
    ]
  }
}
