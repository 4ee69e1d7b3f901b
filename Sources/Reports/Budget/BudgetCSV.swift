import HTTPReassembly

/// `budget.csv`: a row for each limit and each API that it was held against.
package enum BudgetCSV {
  /// The file's name.
  package static let fileName = "budget.csv"
  /// The columns; new ones only at the end. `host`, `path` and `method` are empty for all that match together. `unit`
  /// says what the three numbers count: `messages`, `bytes`, `bytes_per_request`, `share` or `ms`.
  static let columns = [
    "line", "host_pattern", "path_pattern", "method_pattern", "per", "figure", "unit", "host", "path", "method",
    "limit", "actual", "over", "exceeded",
  ]

  /// Writes the file into `folder`, which is created if need be.
  ///
  /// - Throws: when the folder or the file cannot be created or written.
  package static func write(
    _ budget: Budget, _ totals: Totals, folder: String, redaction: Redaction?
  ) throws(ReportError) {
    let file = try OutputFolder(folder).file(fileName)
    var row = CSVRow(redaction: redaction)
    try row.header(columns, to: file)
    for check in budget.checks {
      row.begin()
      row.integer(check.rule.line)
      for text in [check.rule.host.text, check.rule.path.text, check.rule.method ?? ""] { row.text(Array(text.utf8)) }
      row.name(check.rule.scope.rawValue)
      row.name(check.limit.figure.rawValue)
      row.name(unit(check))
      if let api = check.api {
        row.host(totals.texts.octets(api.host))
        row.path(totals.texts.octets(api.path))
        row.text(totals.texts.octets(api.method))
      } else {
        for _ in 0..<3 { row.empty() }
      }
      for value in [check.most, check.actual, check.excess] { append(value, to: &row) }
      row.integer(check.isExceeded ? 1 : 0)
      row.end()
      try file.append(row.octets)
    }
    try file.close()
  }

  private static func unit(_ check: Budget.Check) -> String {
    if check.rule.scope == .request { return "bytes_per_request" }
    return switch check.limit.figure.unit {
    case .count: "messages"
    case .octets: "bytes"
    case .share: "share"
    case .duration: "ms"
    }
  }

  private static func append(_ value: Budget.Check.Value?, to row: inout CSVRow) {
    switch value {
    case nil: row.empty()
    case .whole(let value): row.integer(value)
    case .thousandths(let value): row.thousandths(value)
    // Both are printed in millionths of their unit.
    case .millionths(let value), .nanoseconds(let value): row.milliseconds(Int64(value))
    }
  }
}
