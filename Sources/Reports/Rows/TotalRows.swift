import HTTPReassembly
import Tabular

/// `apis`: one row an API, in the order of host, path, method and process in the report. Lengths are octets.
enum APIRow {
  /// The columns. `method` and `process` are there when totals are grouped by them.
  static func columns(_ grouping: Configuration.Grouping) -> [TableColumn] {
    ColumnList.of { append(APITotals(), texts: TextPool(), grouping: grouping, to: &$0) }
  }

  /// Appends the cells of an API.
  static func append<Row: RowWriter & ~Copyable>(
    _ api: APITotals, texts: borrowing TextPool, grouping: Configuration.Grouping, to row: inout Row
  ) {
    row[.text("host").orUnknown].host(texts.octets(api.host))
    row[.text("path").orUnknown].path(texts.octets(api.path))
    if grouping.method { row[.text("method").orUnknown].text(texts.octets(api.method)) }
    if grouping.process { row[.text("process").orUnknown].text(texts.octets(api.process)) }
    for column in APIColumn.allCases {
      row[.integer(column.rawValue)].integer(column.figure(of: api))
      // They came before the columns behind them.
      guard column == .status5xx else { continue }
      row[.real("wait_ms_p50").orUnknown].milliseconds(api.wait.percentile(50))
      row[.real("wait_ms_p95").orUnknown].milliseconds(api.wait.percentile(95))
    }
  }

  /// The totals in the order of their rows. Redaction changes names and so their order. The old order would still tell which
  /// hidden path comes first.
  static func sorted(_ totals: Totals, redaction: Redaction?) -> [APITotals] {
    guard let redaction else { return totals.apis }
    return totals.apis.sorted(redaction: redaction) { APIKey($0, totals.texts) }
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, grouping: Configuration.Grouping, _ row: inout Row,
    _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for api in sorted(totals, redaction: row.redaction) {
      row.begin()
      append(api, texts: totals.texts, grouping: grouping, to: &row)
      row.end()
      try write(&row)
    }
  }
}

/// `ledger`: a figure a row. All are octets except `packets`, `truncated_packets`, `dropped_packets` and `duplicate_packets`.
enum LedgerRow {
  /// The columns.
  static let columns: [TableColumn] = [.text("class"), .integer("bytes")]

  /// The rows: every class by its name, then the figures about all of them; new ones only at the end.
  ///
  /// In a live run, octets can have no class yet. They have a row of their own and do not count in the difference, which so is 0
  /// at any moment. A finished report has none of them. Copies of packets have rows if they were looked for.
  static func rows(_ ledger: Ledger) -> [(name: String, value: Int)] {
    OctetClass.allCases.map { ($0.name, ledger[$0]) } + [
      ("total", ledger.total), ("original", ledger.original), ("difference", ledger.difference - ledger.pending),
      ("missing", ledger.missing), ("packets", ledger.packets), ("truncated_packets", ledger.truncatedPackets),
      ("dropped_packets", ledger.droppedPackets), ("synthetic", ledger.synthetic),
      ("tls_handshake", ledger.tlsHandshake), ("tls_application_data", ledger.tlsApplicationData),
      ("tls_other", ledger.tlsOther), ("pending", ledger.pending), ("tls_record", ledger.tlsRecord),
      ("quic_handshake", ledger.quicHandshake), ("quic_packet", ledger.quicPacket),
      ("quic_protected", ledger.quicProtected), ("websocket_frame", ledger.webSocketFrame),
      ("websocket_payload", ledger.webSocketPayload), ("tunnel_other", ledger.tunnelOther),
    ] + (ledger.copies.map { [("duplicate_packets", $0.packets), ("duplicate_bytes", $0.octets)] } ?? [])
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of ledger: Ledger, _ row: inout Row, _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for (name, value) in rows(ledger) {
      row.begin()
      row.name(name)
      row.integer(value)
      row.end()
      try write(&row)
    }
  }
}

/// `anomalies`: one row an anomaly that was seen, in the order of `Anomaly`. `first_time` is in nanoseconds since
/// the Unix epoch.
enum AnomalyRow {
  /// The columns; new ones only at the end.
  static let columns: [TableColumn] = [
    .text("name"), .integer("count"), .time("first_time"), .integer("first_connection").orUnknown,
    .text("example").orUnknown,
  ]

  /// Appends the cells of an anomaly. Its example is arbitrary text from the wire, so redaction leaves it out.
  static func append<Row: RowWriter & ~Copyable>(_ anomaly: Anomaly, _ count: AnomalyCount, to row: inout Row) {
    row.name(anomaly.rawValue)
    row.integer(count.count)
    row.time(count.firstTime)
    row.integerUnlessZero(count.firstConnection)
    if row.redaction == nil { row.text(count.example) } else { row.empty() }
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of log: AnomalyLog, _ row: inout Row, _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for (anomaly, count) in log.all {
      row.begin()
      append(anomaly, count, to: &row)
      row.end()
      try write(&row)
    }
  }
}
