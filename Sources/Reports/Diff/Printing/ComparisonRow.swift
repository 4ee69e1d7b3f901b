/// A row of a comparison as CSV and JSON have it: the API, and of each figure what it was, what it is, and the difference.
enum ComparisonRow {
  /// What tells which API it is.
  static func names(isByMethod: Bool) -> [Column] {
    [.text("host").orUnknown, .text("path").orUnknown] + (isByMethod ? [.text("method").orUnknown] : [])
  }

  /// The columns after those; new ones only at the end.
  static let figures: [Column] = {
    var columns: [Column] = [.text("change"), .integer("beyond_threshold").orUnknown]
    func add(_ name: String, _ column: (String) -> Column) {
      for prefix in ["base_", "new_", "difference_"] { columns.append(column(prefix + name)) }
    }
    for column in APIColumn.allCases { add(column.rawValue) { .integer($0) } }
    for sum in APISum.allCases { add(sum.rawValue) { .integer($0) } }
    add("ip_bytes_per_request") { .real($0).orUnknown }
    add("wait_ms_p50") { .real($0).orUnknown }
    add("wait_ms_p95") { .real($0).orUnknown }
    return columns
  }()

  /// Appends the cells of `names`.
  static func appendNames<Row: RowWriter & ~Copyable>(_ api: APIComparison, isByMethod: Bool, to row: inout Row) {
    row.text(api.key.host)
    row.text(api.key.path)
    if isByMethod { row.text(api.key.method) }
  }

  /// Appends the cells of `figures`.
  static func appendFigures<Row: RowWriter & ~Copyable>(_ api: APIComparison, hasThreshold: Bool, to row: inout Row) {
    row.name(api.change.rawValue)
    row.integer(hasThreshold ? api.isBeyond ? 1 : 0 : nil)
    for column in APIColumn.allCases {
      row.integer(api.base.figures[column])
      row.integer(api.new.figures[column])
      row.integer(api.difference(column))
    }
    for sum in APISum.allCases {
      row.integer(api.base.figures[sum])
      row.integer(api.new.figures[sum])
      row.integer(api.difference(sum))
    }
    for thousandths in [
      api.base.figures.thousandthsPerRequest, api.new.figures.thousandthsPerRequest, api.perRequestDifference,
    ] { row.thousandths(thousandths) }
    for wait in [\ReportedAPI.waitP50, \ReportedAPI.waitP95] {
      row.milliseconds(api.base[keyPath: wait])
      row.milliseconds(api.new[keyPath: wait])
      row.milliseconds(api.difference(wait))
    }
  }
}
