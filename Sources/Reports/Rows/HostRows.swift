import HTTPReassembly
import Tabular

/// `hosts`: one row a host, in the order of hosts in the report. Lengths are octets.
enum HostRow {
  /// The table's name.
  static let name = "hosts"

  /// The columns; new ones only at the end.
  static let columns: [TableColumn] = [
    .text("host").orUnknown, .text("host_source"), .integer("connections"), .integer("http1_connections"),
    .integer("http2_connections"), .integer("tls_connections"), .integer("quic_connections"),
    .integer("other_connections"), .integer("reused_connections"), .integer("resumed_connections"),
    .integer("requests"), .integer("reusing_requests"), .integer("responses"), .integer("up_bytes"),
    .integer("down_bytes"), .integer("ip_bytes"), .integer("start_line_bytes"), .integer("header_bytes"),
    .integer("body_bytes"), .integer("framing_bytes"), .integer("trailer_bytes"), .integer("message_bytes"),
    .integer("tls_record_bytes"), .integer("control_bytes"), .integer("handshake_bytes"), .integer("setup_bytes"),
    .integer("teardown_bytes"), .integer("retransmitted_bytes"), .integer("overhead_bytes"),
    .integer("unopened_bytes"), .integer("unattributed_bytes"),
  ]

  /// Appends the cells of a host.
  private static func append<Row: RowWriter & ~Copyable>(
    _ host: HostTotals, texts: borrowing TextPool, to row: inout Row
  ) {
    row.host(texts.octets(host.host))
    row.flags(UInt64(host.sources.rawValue), names: HostSources.names)
    let connections = host.connections
    row.integers([
      connections.total, connections.http1, connections.http2, connections.tls, connections.quic, connections.other,
      host.reusedConnections, host.resumedConnections, host.requests, host.reusingRequests, host.responses,
    ])
    row.integers([host.up, host.down, host.ipLength])
    let octets = host.octets
    row.integers([octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, octets.total])
    row.integers([
      host.tls, host.control, host.handshake, host.setup, host.teardown, host.retransmitted, host.overhead,
      host.unopened, host.unattributed,
    ])
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, _ row: inout Row, _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    var hosts = totals.hosts
    // The order of the original names would still tell which hidden name comes first.
    if let redaction = row.redaction {
      let names = hosts.map { redaction.host(totals.texts.octets($0.host)) }
      hosts = hosts.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }.map { hosts[$0] }
    }
    for host in hosts {
      row.begin()
      append(host, texts: totals.texts, to: &row)
      row.end()
      try write(&row)
    }
  }
}

/// `timeline`: one row an interval and direction, by time. Lengths are octets, times nanoseconds since the Unix epoch.
enum TimelineRow {
  /// The table's name.
  static let name = "timeline"

  /// The columns; new ones only at the end, and so are new classes.
  static let columns: [TableColumn] =
    [
      .time("start"), .time("end"), .text("direction").orUnknown, .integer("packets"), .integer("bytes"),
    ] + OctetClass.allCases.map { .integer($0.name + "_bytes") }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, _ row: inout Row, _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for interval in totals.timeline {
      row.begin()
      row.time(interval.start)
      row.time(interval.end)
      row.name(interval.direction.literal)
      row.integer(interval.packets)
      row.integer(interval.total)
      for octets in interval.octets { row.integer(octets) }
      row.end()
      try write(&row)
    }
  }
}
