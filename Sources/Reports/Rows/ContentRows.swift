import HTTPReassembly
import Tabular

/// `contents`: one row for each direction of an API with contents, or with responses without content (304). Lengths are octets.
enum ContentRow {
  /// The columns. `method` and `process` are there when totals are grouped by them.
  static func columns(_ grouping: Configuration.Grouping) -> [TableColumn] {
    ColumnList.of { append(ContentTotals(), TextPool(), grouping, to: &$0) }
  }

  private static func append<Row: RowWriter & ~Copyable>(
    _ content: ContentTotals, after last: APIDirection? = nil, _ texts: borrowing TextPool,
    _ grouping: Configuration.Grouping, to row: inout Row
  ) {
    APIDirection(content).append(after: last, texts, grouping, to: &row)
    row[.integer("contents")].integer(content.contents)
    row[.integer("body_bytes")].integer(content.octets)
    row[.integer("coded")].integer(content.coded)
    row[.integer("coded_bytes")].integer(content.codedOctets)
    row[.integer("decoded_bytes")].integer(content.decodedOctets)
    row[.integer("uncoded")].integer(content.uncoded)
    row[.integer("uncoded_bytes")].integer(content.uncodedOctets)
    row[.integer("gzip_estimate_bytes").orUnknown].integer(content.gzipEstimate)
    row[.integer("repeated")].integer(content.repeated)
    row[.integer("repeated_bytes")].integer(content.repeatedOctets)
    row[.integer("not_modified")].integer(content.notModified)
    row[.integer("known_not_modified")].integer(content.knownNotModified)
    row[.integer("saved_bytes")].integer(content.savedOctets)
    row[.integer("repeated_elsewhere")].integer(content.repeatedElsewhere)
    row[.integer("repeated_elsewhere_bytes")].integer(content.repeatedElsewhereOctets)
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, grouping: Configuration.Grouping, _ row: inout Row,
    _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    var last: APIDirection?
    for content in APIDirection.sorted(totals.contents, totals.texts, row.redaction, { APIDirection($0) }) {
      row.begin()
      append(content, after: last, totals.texts, grouping, to: &row)
      row.end()
      last = APIDirection(content)
      try write(&row)
    }
  }
}

/// `fields`: one row for each field of each direction of an API. Lengths are octets.
enum FieldRow {
  /// The columns. `method` and `process` are there when totals are grouped by them.
  static func columns(_ grouping: Configuration.Grouping) -> [TableColumn] {
    ColumnList.of { append(FieldTotals(), TextPool(), grouping, to: &$0) }
  }

  private static func append<Row: RowWriter & ~Copyable>(
    _ field: FieldTotals, after last: APIDirection? = nil, _ texts: borrowing TextPool,
    _ grouping: Configuration.Grouping, to row: inout Row
  ) {
    APIDirection(field).append(after: last, texts, grouping, to: &row)
    row[.text("field")].text(field.name)
    row[.integer("messages")].integer(field.messages)
    row[.integer("bytes")].integer(field.octets)
    row[.integer("expanded_bytes")].integer(field.expandedOctets)
    row[.integer("repeated_bytes")].integer(field.repeatedOctets)
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, grouping: Configuration.Grouping, _ row: inout Row,
    _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    var last: APIDirection?
    for field in APIDirection.sorted(totals.fields, totals.texts, row.redaction, { APIDirection($0) }) {
      row.begin()
      append(field, after: last, totals.texts, grouping, to: &row)
      row.end()
      last = APIDirection(field)
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

  /// Appends the first cells of a row. The rows of one API follow each other, and `last` is the row before. An API with many fields would
  /// repeat a long name as often: only its first row has it whole (`RepeatedText`).
  func append<Row: RowWriter & ~Copyable>(
    after last: APIDirection?, _ texts: borrowing TextPool, _ grouping: Configuration.Grouping, to row: inout Row
  ) {
    let isRepeated = last.map { ($0.host, $0.path, $0.method, $0.process) == (host, path, method, process) } ?? false
    row[.text("host").orUnknown].host(host, texts, isRepeated: isRepeated)
    row[.text("path").orUnknown].path(path, texts, isRepeated: isRepeated)
    if grouping.method { row[.text("method").orUnknown].text(method, texts) }
    if grouping.process { row[.text("process").orUnknown].text(texts.octets(process)) }
    row[.text("direction")].name(isRequest ? "request" : "response" as StaticString)
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
