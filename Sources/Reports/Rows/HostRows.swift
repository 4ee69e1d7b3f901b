import HTTPReassembly
import Tabular

/// `hosts`: one row a host, in the order of hosts in the report. Lengths are octets.
enum HostRow {
  /// The columns.
  static let columns = ColumnList.of { append(HostTotals(), texts: TextPool(), to: &$0) }

  /// Appends the cells of a host.
  private static func append<Row: RowWriter & ~Copyable>(
    _ host: HostTotals, texts: borrowing TextPool, to row: inout Row
  ) {
    row[.text("host").orUnknown].host(texts.octets(host.host))
    row[.text("host_source")].flags(UInt64(host.sources.rawValue), names: HostSources.names)
    row[.integer("connections")].integer(host.connections.total)
    row[.integer("http1_connections")].integer(host.connections.http1)
    row[.integer("http2_connections")].integer(host.connections.http2)
    row[.integer("tls_connections")].integer(host.connections.tls)
    row[.integer("quic_connections")].integer(host.connections.quic)
    row[.integer("other_connections")].integer(host.connections.other)
    row[.integer("reused_connections")].integer(host.reusedConnections)
    row[.integer("resumed_connections")].integer(host.resumedConnections)
    row[.integer("requests")].integer(host.requests)
    row[.integer("reusing_requests")].integer(host.reusingRequests)
    row[.integer("responses")].integer(host.responses)
    row[.integer("up_bytes")].integer(host.up)
    row[.integer("down_bytes")].integer(host.down)
    row[.integer("ip_bytes")].integer(host.ipLength)
    row[.integer("start_line_bytes")].integer(host.octets.startLine)
    row[.integer("header_bytes")].integer(host.octets.header)
    row[.integer("body_bytes")].integer(host.octets.body)
    row[.integer("framing_bytes")].integer(host.octets.framing)
    row[.integer("trailer_bytes")].integer(host.octets.trailer)
    row[.integer("message_bytes")].integer(host.octets.total)
    row[.integer("tls_record_bytes")].integer(host.tls)
    row[.integer("control_bytes")].integer(host.control)
    row[.integer("handshake_bytes")].integer(host.handshake)
    row[.integer("setup_bytes")].integer(host.setup)
    row[.integer("teardown_bytes")].integer(host.teardown)
    row[.integer("retransmitted_bytes")].integer(host.retransmitted)
    row[.integer("overhead_bytes")].integer(host.overhead)
    row[.integer("unopened_bytes")].integer(host.unopened)
    row[.integer("unattributed_bytes")].integer(host.unattributed)
    row[.integer("tunnel_bytes")].integer(host.tunnel)
    row[.integer("http1_exchanges")].integer(host.exchanges.http1.count)
    row[.integer("http1_bytes")].integer(host.exchanges.http1.octets)
    row[.integer("http2_exchanges")].integer(host.exchanges.http2.count)
    row[.integer("http2_bytes")].integer(host.exchanges.http2.octets)
    row[.integer("http3_exchanges")].integer(host.exchanges.http3.count)
    row[.integer("http3_bytes")].integer(host.exchanges.http3.octets)
    row[.text("alt_svc")].flags(UInt64(host.alternatives.rawValue), names: AlternativeServices.names)
    row[.text("https_records")].flags(UInt64(host.httpsRecords.rawValue), names: AlternativeServices.names)
    row[.integer("quic_unanswered")].integer(host.quic.unanswered)
    row[.integer("quic_refused")].integer(host.quic.refused)
    row[.integer("quic_raced")].integer(host.quic.raced)
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
  /// The columns; new ones only at the end, where a new class is, too.
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
