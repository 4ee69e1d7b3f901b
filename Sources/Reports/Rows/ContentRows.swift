import HTTPReassembly
import Tabular

/// `contents`: one row for each direction of an API with contents, or with responses without content (304). Lengths are octets.
enum ContentRow {
  /// The table's name.
  static let name = "contents"

  /// The columns; new ones only at the end. `method` and `process` are present when totals are grouped by them.
  static func columns(_ grouping: Configuration.Grouping) -> [TableColumn] {
    APIDirection.columns(grouping) + [
      .integer("contents"), .integer("body_bytes"), .integer("coded"), .integer("coded_bytes"),
      .integer("decoded_bytes"), .integer("uncoded"), .integer("uncoded_bytes"),
      .integer("gzip_estimate_bytes").orUnknown, .integer("repeated"), .integer("repeated_bytes"),
      .integer("not_modified"), .integer("known_not_modified"), .integer("saved_bytes"),
    ]
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, grouping: Configuration.Grouping, _ row: inout Row,
    _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for content in APIDirection.sorted(totals.contents, totals.texts, row.redaction, { APIDirection($0) }) {
      row.begin()
      APIDirection(content).append(totals.texts, grouping, to: &row)
      row.integers([
        content.contents, content.octets, content.coded, content.codedOctets, content.decodedOctets, content.uncoded,
        content.uncodedOctets,
      ])
      row.integer(content.gzipEstimate)
      row.integers([
        content.repeated, content.repeatedOctets, content.notModified, content.knownNotModified, content.savedOctets,
      ])
      row.end()
      try write(&row)
    }
  }
}

/// `fields`: one row for each field of each direction of an API. Lengths are octets.
enum FieldRow {
  /// The table's name.
  static let name = "fields"

  /// The columns; new ones only at the end. `method` and `process` are present when totals are grouped by them.
  static func columns(_ grouping: Configuration.Grouping) -> [TableColumn] {
    APIDirection.columns(grouping) + [
      .text("field"), .integer("messages"), .integer("bytes"), .integer("expanded_bytes"), .integer("repeated_bytes"),
    ]
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, grouping: Configuration.Grouping, _ row: inout Row,
    _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for field in APIDirection.sorted(totals.fields, totals.texts, row.redaction, { APIDirection($0) }) {
      row.begin()
      APIDirection(field).append(totals.texts, grouping, to: &row)
      row.text(field.name)
      row.integers([field.messages, field.octets, field.expandedOctets, field.repeatedOctets])
      row.end()
      try write(&row)
    }
  }
}

/// The subject of a row in both tables: the requests or the responses of an API.
struct APIDirection {
  let host: TextID
  let path: TextID
  let method: TextID
  let process: TextID
  let isRequest: Bool

  init(_ content: ContentTotals) {
    (host, path, method, process) = (content.host, content.path, content.method, content.process)
    isRequest = content.isRequest
  }

  init(_ field: FieldTotals) {
    (host, path, method, process) = (field.host, field.path, field.method, field.process)
    isRequest = field.isRequest
  }

  static func columns(_ grouping: Configuration.Grouping) -> [TableColumn] {
    APIRow.names(grouping) + [.text("direction")]
  }

  /// Appends the first cells of a row.
  func append<Row: RowWriter & ~Copyable>(
    _ texts: borrowing TextPool, _ grouping: Configuration.Grouping, to row: inout Row
  ) {
    row.host(host, texts)
    row.path(path, texts)
    if grouping.method { row.text(method, texts) }
    if grouping.process { row.text(texts.octets(process)) }
    row.name(isRequest ? "request" : "response" as StaticString)
  }

  /// Rows in the order of a report, which hidden names change.
  static func sorted<Totals>(
    _ rows: [Totals], _ texts: TextPool, _ redaction: Redaction?, _ names: (Totals) -> APIDirection
  ) -> [Totals] {
    guard let redaction else { return rows }
    return rows.sorted(redaction: redaction) { row in
      let api = names(row)
      return APIKey(
        host: texts.octets(api.host), path: texts.octets(api.path), method: texts.octets(api.method),
        process: texts.octets(api.process))
    }
  }
}
