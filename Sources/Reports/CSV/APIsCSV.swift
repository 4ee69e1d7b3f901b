import HTTPReassembly

/// `apis.csv`: one row an API, by host, path and method as they stand in the file. Lengths are octets.
enum APIsCSV {
  /// The file's name.
  static let fileName = "apis.csv"

  /// The columns; new ones only at the end. `method` is there when totals are grouped by it.
  static func columns(_ grouping: Configuration.Grouping) -> [String] {
    ["host", "path"] + (grouping.method ? ["method"] : []) + [
      "requests", "responses", "request_start_line_bytes", "request_header_bytes", "request_body_bytes",
      "request_framing_bytes", "request_trailer_bytes", "request_bytes", "request_ip_bytes",
      "response_start_line_bytes", "response_header_bytes", "response_body_bytes", "response_framing_bytes",
      "response_trailer_bytes", "response_bytes", "response_decoded_body_bytes", "response_ip_bytes",
      "missing_bytes", "status_4xx", "status_5xx", "wait_ms_p50", "wait_ms_p95",
    ]
  }

  /// Appends the cells of an API.
  static func append(
    _ api: APITotals, texts: borrowing TextPool, grouping: Configuration.Grouping, to row: inout CSVRow
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

  private static func append(_ octets: MessageOctets, to row: inout CSVRow) {
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

  /// Appends every row to a file.
  static func append(
    _ totals: Totals, grouping: Configuration.Grouping, to file: OutputFile, _ row: inout CSVRow
  ) throws(ReportError) {
    for api in sorted(totals, redaction: row.redaction) {
      row.begin()
      append(api, texts: totals.texts, grouping: grouping, to: &row)
      row.end()
      try file.append(row.octets)
    }
  }
}
