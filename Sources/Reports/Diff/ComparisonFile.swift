import Tabular

/// The formats of a comparison.
package enum ComparisonFormat: String, CaseIterable, Sendable {
  /// For people, fitted to the terminal.
  case table
  /// For spreadsheets and databases: every API and figure.
  case csv
  /// For programs: every API and figure.
  case json
  /// For a comment on a pull request.
  case markdown
  /// For the table of tests in a CI system: an API is a test, and an API that grew beyond the threshold has failed.
  case junit
  /// For annotations in GitHub Actions.
  case github

  /// Prints a comparison on standard output.
  ///
  /// - Parameters:
  ///   - comparison: The comparison.
  ///   - limit: The largest number of APIs in a table, not counting those beyond the threshold.
  /// - Throws: When the other end of a pipe is gone, or a disk is full.
  package func print(_ comparison: ReportComparison, limit: Int) throws(ReportError) {
    let file = OutputFile(.standard(1), path: "standard output", isOwn: false)
    switch self {
    case .table:
      let terminal = Terminal.standardOutput
      try file.append(
        Array(
          ComparisonTable(comparison, limit: limit)
            .text(width: terminal.textWidth, colour: terminal.takesColour).utf8))
    case .csv: try ComparisonFile.writeCSV(comparison, to: file)
    case .json: try ComparisonFile.writeJSON(comparison, to: file)
    case .markdown: try file.append(Array(ComparisonMarkdown(comparison, limit: limit).text.utf8))
    case .junit: try file.append(Array(ComparisonChecks(comparison).junit.utf8))
    case .github: try file.append(Array(ComparisonChecks(comparison).annotations.utf8))
    }
    try file.flush()
  }
}

/// Writes a comparison for programs, to standard output: every API of both reports.
enum ComparisonFile {
  /// CSV (RFC 4180), with a header row.
  static func writeCSV(_ comparison: ReportComparison, to file: OutputFile) throws(ReportError) {
    var row = CSVRow(redaction: nil)
    let names = ComparisonRow.names(of: comparison)
    try file.append(CSVRow.header((names + ComparisonRow.figures).map(\.name)))
    for api in comparison.apis {
      row.begin()
      append(api, of: comparison, to: &row)
      row.end()
      try file.append(row.octets)
    }
  }

  /// One JSON object (RFC 8259): the compared reports, the total, and an array of APIs.
  static func writeJSON(_ comparison: ReportComparison, to file: OutputFile) throws(ReportError) {
    var head = JSONWriter()
    head.open("{")
    head.key("base")
    head.escaped(Array(comparison.baseName.utf8))
    head.key("new")
    head.escaped(Array(comparison.newName.utf8))
    head.key("threshold")
    if let threshold = comparison.thresholds.apis {
      head.open("{")
      head.key("share")
      if let share = threshold.share { head.name(share.text) } else { head.null() }
      head.key("bytes")
      head.integer(threshold.octets)
      head.key("per_request")
      head.boolean(threshold.isPerRequest)
      head.key("apis_beyond")
      head.integer(comparison.beyond.count)
      head.close("}")
    } else {
      head.null()
    }
    head.newlineAfterComma()
    head.key("total")
    try file.append(head.octets)
    var total = JSONRow(ComparisonRow.figures, redaction: nil)
    total.begin()
    ComparisonRow.appendFigures(comparison.total, hasThreshold: false, to: &total)
    total.end()
    try file.append(total.octets)
    var rest = JSONWriter()
    rest.clear(needingComma: true)
    writeHosts("handshake_bytes", \.handshake, of: comparison, to: &rest)
    writeHosts("connection_bytes", \.ip, of: comparison, to: &rest)
    writeThresholds(of: comparison, to: &rest)
    try file.append(rest.octets)
    try file.append(Array(",\"apis\":[\n".utf8))
    var row = JSONRow(
      ComparisonRow.names(of: comparison) + ComparisonRow.figures, redaction: nil)
    for (index, api) in comparison.apis.enumerated() {
      if index > 0 { try file.append([UInt8(ascii: ",")]) }
      row.begin()
      append(api, of: comparison, to: &row)
      row.end()
      try file.append(row.octets)
    }
    try file.append(Array("]}\n".utf8))
  }

  /// Writes a figure of all hosts together in both reports.
  private static func writeHosts(
    _ name: String, _ figure: (ReportedHost) -> Int, of comparison: ReportComparison, to json: inout JSONWriter
  ) {
    json.key(name)
    json.open("{")
    for (side, hosts) in [("base", comparison.baseHosts), ("new", comparison.newHosts)] {
      json.key(side)
      json.integer(orNull: hosts.map(figure))
    }
    json.close("}")
  }

  /// Writes the results of the thresholds of connections and waits, and the gaps.
  private static func writeThresholds(of comparison: ReportComparison, to json: inout JSONWriter) {
    json.key("total_beyond")
    if comparison.thresholds.total != nil { json.boolean(comparison.isTotalBeyond) } else { json.null() }
    json.key("hosts_beyond")
    json.open("[")
    for host in comparison.beyondHosts {
      json.open("{")
      json.key("host")
      // It is escaped already.
      json.literal(Array(host.name.utf8))
      json.key("base_bytes")
      json.integer(host.base)
      json.key("new_bytes")
      json.integer(host.new)
      json.close("}")
    }
    json.close("]")
    json.key("apis_slower")
    if comparison.thresholds.p95 != nil {
      json.integer(comparison.apis.count(where: \.isSlower))
    } else {
      json.null()
    }
    json.key("not_checked")
    json.open("[")
    for gap in comparison.gaps { json.literal(Array(gap.utf8)) }
    json.close("]")
  }

  private static func append<Row: RowWriter & ~Copyable>(
    _ api: APIComparison, of comparison: ReportComparison, to row: inout Row
  ) {
    ComparisonRow.appendNames(api, of: comparison, to: &row)
    ComparisonRow.appendFigures(api, hasThreshold: comparison.thresholds.areOfAPIs, to: &row)
  }
}

/// A row of a comparison in CSV and JSON: the API, and for each figure the old value, the new value, and the difference.
enum ComparisonRow {
  /// The columns that name the API.
  static func names(of comparison: ReportComparison) -> [TableColumn] {
    [.text("host").orUnknown, .text("path").orUnknown] + (comparison.isByMethod ? [.text("method").orUnknown] : [])
      + (comparison.isByProcess ? [.text("process").orUnknown] : [])
  }

  /// The columns after the names; new ones only at the end.
  static let figures: [TableColumn] = {
    var columns: [TableColumn] = [.text("change"), .integer("beyond_threshold").orUnknown]
    func add(_ name: String, _ column: (String) -> TableColumn) {
      for prefix in ["base_", "new_", "difference_"] { columns.append(column(prefix + name)) }
    }
    for column in APIColumn.allCases { add(column.rawValue) { .integer($0) } }
    for sum in APISum.allCases where sum.isOriginal { add(sum.rawValue) { .integer($0) } }
    add("ip_bytes_per_request") { .real($0).orUnknown }
    add("wait_ms_p50") { .real($0).orUnknown }
    add("wait_ms_p95") { .real($0).orUnknown }
    for sum in APISum.allCases where !sum.isOriginal { add(sum.rawValue) { .integer($0) } }
    return columns
  }()

  /// Appends the cells of `names`.
  static func appendNames<Row: RowWriter & ~Copyable>(
    _ api: APIComparison, of comparison: ReportComparison, to row: inout Row
  ) {
    row.text(api.key.host)
    row.text(api.key.path)
    if comparison.isByMethod { row.text(api.key.method) }
    if comparison.isByProcess { row.text(api.key.process) }
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
    func append(_ sum: APISum, to row: inout Row) {
      row.integer(api.base.figures[sum])
      row.integer(api.new.figures[sum])
      row.integer(api.difference(sum))
    }
    for sum in APISum.allCases where sum.isOriginal { append(sum, to: &row) }
    for thousandths in [
      api.base.figures.thousandthsPerRequest, api.new.figures.thousandthsPerRequest, api.perRequestDifference,
    ] { row.thousandths(thousandths) }
    for wait in [\ReportedAPI.waitP50, \ReportedAPI.waitP95] {
      row.milliseconds(api.base[keyPath: wait])
      row.milliseconds(api.new[keyPath: wait])
      row.milliseconds(api.difference(wait))
    }
    for sum in APISum.allCases where !sum.isOriginal { append(sum, to: &row) }
  }
}
