import HTTPReassembly

/// `apis`: one row an API, by host, path and method as they stand in the report. Lengths are octets.
enum APIRow {
  /// The table's name.
  static let name = "apis"

  /// The columns; new ones only at the end. `method` is there when totals are grouped by it.
  static func columns(_ grouping: Configuration.Grouping) -> [Column] {
    [.text("host").orUnknown, .text("path").orUnknown] + (grouping.method ? [.text("method").orUnknown] : []) + [
      .integer("requests"), .integer("responses"), .integer("request_start_line_bytes"),
      .integer("request_header_bytes"), .integer("request_body_bytes"), .integer("request_framing_bytes"),
      .integer("request_trailer_bytes"), .integer("request_bytes"), .integer("request_ip_bytes"),
      .integer("response_start_line_bytes"), .integer("response_header_bytes"), .integer("response_body_bytes"),
      .integer("response_framing_bytes"), .integer("response_trailer_bytes"), .integer("response_bytes"),
      .integer("response_decoded_body_bytes"), .integer("response_ip_bytes"), .integer("missing_bytes"),
      .integer("status_4xx"), .integer("status_5xx"), .real("wait_ms_p50").orUnknown, .real("wait_ms_p95").orUnknown,
    ]
  }

  /// Appends the cells of an API.
  static func append<Row: RowWriter & ~Copyable>(
    _ api: APITotals, texts: borrowing TextPool, grouping: Configuration.Grouping, to row: inout Row
  ) {
    row.host(texts.octets(api.host))
    row.path(texts.octets(api.path))
    if grouping.method { row.text(texts.octets(api.method)) }
    row.integer(api.requests)
    row.integer(api.responses)
    append(api.request.octets, to: &row)
    row.integer(api.request.ipLength)
    append(api.response.octets, to: &row)
    row.integer(api.response.decodedBody)
    row.integer(api.response.ipLength)
    row.integer(api.missing)
    row.integer(api.status4xx)
    row.integer(api.status5xx)
    row.milliseconds(api.wait.percentile(50))
    row.milliseconds(api.wait.percentile(95))
  }

  private static func append<Row: RowWriter & ~Copyable>(_ octets: MessageOctets, to row: inout Row) {
    row.integer(octets.startLine)
    row.integer(octets.header)
    row.integer(octets.body)
    row.integer(octets.framing)
    row.integer(octets.trailer)
    row.integer(octets.total)
  }

  /// The totals in the order of their rows. Redaction changes names and so their order; by the old one, rows would
  /// still tell which hidden path comes first.
  static func sorted(_ totals: Totals, redaction: Redaction?) -> [APITotals] {
    guard let redaction else { return totals.apis }
    let named = totals.apis.map { api in
      (
        key: [
          redaction.host(totals.texts.octets(api.host)), redaction.path(totals.texts.octets(api.path)),
          totals.texts.octets(api.method),
        ], api: api
      )
    }
    return named.sorted { a, b in
      for (mine, other) in zip(a.key, b.key) where mine != other { return mine.lexicographicallyPrecedes(other) }
      return false
    }.map(\.api)
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
