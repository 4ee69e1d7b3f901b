/// Writes a comparison for programs, to standard output: every API of both reports.
enum ComparisonFile {
  /// CSV (RFC 4180), with a header row.
  static func writeCSV(_ comparison: ReportComparison, to file: OutputFile) throws(ReportError) {
    var row = CSVRow(redaction: nil)
    let names = ComparisonRow.names(isByMethod: comparison.isByMethod)
    try row.header((names + ComparisonRow.figures).map(\.name), to: file)
    for api in comparison.apis {
      row.begin()
      append(api, of: comparison, to: &row)
      row.end()
      try file.append(row.octets)
    }
  }

  /// One JSON object (RFC 8259): what was compared, the total, and an array of APIs.
  static func writeJSON(_ comparison: ReportComparison, to file: OutputFile) throws(ReportError) {
    var head = RowBuffer()
    head.append("{\"base\":\"")
    Array(comparison.baseName.utf8).withOctets { head.appendEscapedForJSON($0) }
    head.append("\",\"new\":\"")
    Array(comparison.newName.utf8).withOctets { head.appendEscapedForJSON($0) }
    head.append("\",\"threshold\":")
    if let threshold = comparison.threshold {
      head.append("{\"share\":")
      head.append(threshold.share.map { "\"\($0.text)\"" } ?? "null")
      head.append(",\"bytes\":\(threshold.octets),\"per_request\":\(threshold.isPerRequest)")
      head.append(",\"apis_beyond\":\(comparison.beyond.count)}")
    } else {
      head.append("null")
    }
    head.append(",\n\"total\":")
    try file.append(head.octets)
    var total = JSONRow(ComparisonRow.figures, redaction: nil)
    total.begin()
    ComparisonRow.appendFigures(comparison.total, hasThreshold: false, to: &total)
    total.end()
    try file.append(total.octets)
    try file.append(Array(",\"apis\":[\n".utf8))
    var row = JSONRow(
      ComparisonRow.names(isByMethod: comparison.isByMethod) + ComparisonRow.figures, redaction: nil)
    for (index, api) in comparison.apis.enumerated() {
      if index > 0 { try file.append([UInt8(ascii: ",")]) }
      row.begin()
      append(api, of: comparison, to: &row)
      row.end()
      try file.append(row.octets)
    }
    try file.append(Array("]}\n".utf8))
  }

  private static func append<Row: RowWriter & ~Copyable>(
    _ api: APIComparison, of comparison: ReportComparison, to row: inout Row
  ) {
    ComparisonRow.appendNames(api, isByMethod: comparison.isByMethod, to: &row)
    ComparisonRow.appendFigures(api, hasThreshold: comparison.threshold != nil, to: &row)
  }
}
