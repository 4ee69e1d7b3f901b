import HTTPReassembly
import Tabular

/// What a run with a budget prints. Names are escaped; `redaction` leaves out what may be personal.
package struct BudgetText {
  private let budget: Budget
  private let totals: Totals
  private let redaction: Redaction?
  /// Breaches shown: one rule may be broken by every API there is.
  private static let limit = 200

  /// Of a budget that was held against totals.
  package init(_ budget: Budget, _ totals: Totals, redaction: Redaction?) {
    self.budget = budget
    self.totals = totals
    self.redaction = redaction
  }

  /// The breaches as a table, how many there are, and whether the ledger balances.
  package func text(for terminal: Terminal) -> String {
    text(width: max(terminal.width ?? Terminal.defaultWidth, 40), colour: terminal.takesColour)
  }

  func text(width: Int, colour: Bool) -> String {
    let breaches = budget.breaches
    var lines: [String] = []
    if !breaches.isEmpty {
      var table = TextTable(columns: [
        .init(title: "API", isRight: false, minimum: min(max(width * 3 / 10, 12), 32)),
        .init(title: "pattern", isRight: false, minimum: 10, importance: 4), .init(title: "figure", isRight: false),
        .init(title: "limit", importance: 3), .init(title: "actual"), .init(title: "over", importance: 1),
      ])
      for breach in breaches.prefix(Self.limit) {
        table.rows.append(
          (
            [
              name(breach), breach.rule.text, breach.name, breach.most.text, breach.actual?.text ?? "",
              breach.excess?.text ?? "",
            ], .plain
          ))
      }
      lines += table.lines(width: width, colour: colour)
      if breaches.count > Self.limit { lines.append("… and \(Numerals.grouped(breaches.count - Self.limit)) more") }
      lines.append("")
    }
    let style: Style = breaches.isEmpty ? .good : .bad
    lines += style.lines(verdict, width: width, colour: colour)
    for line in UnsureOctets(totals).lines { lines += Style.warning.lines(line, width: width, colour: colour) }
    return lines.joined(separator: "\n") + "\n" + Summary.lastLine(totals.ledger) + "\n"
  }

  /// Each breach in one line, where no table is printed.
  package var lines: [String] {
    let breaches = budget.breaches
    var lines = breaches.prefix(Self.limit).map { breach in
      "\(name(breach)): \(breach.name) is \(breach.actual?.text ?? ""), the limit \(breach.most.text) "
        + "(over by \(breach.excess?.text ?? "")\(breach.isOnlyInferred ? ", only with inferred bytes" : ""); "
        + "line \(breach.rule.line): \(breach.rule.text))"
    }
    if breaches.count > Self.limit { lines.append("… and \(Numerals.grouped(breaches.count - Self.limit)) more") }
    return lines
  }

  private var verdict: String {
    let (checks, breaches) = (budget.checks.count, budget.breaches.count)
    let held = "\(Numerals.grouped(checks)) \(checks == 1 ? "check" : "checks")"
    guard breaches > 0 else { return "budget kept: \(held)" }
    let inferred = budget.breaches.count(where: \.isOnlyInferred)
    return "budget exceeded: \(Numerals.grouped(breaches)) of \(held)"
      + (inferred > 0 ? ", \(Numerals.grouped(inferred)) only with bytes whose API is inferred" : "")
  }

  private func name(_ check: Budget.Check) -> String {
    check.api.map { APIKey($0, totals.texts).redacted(redaction).text } ?? "(all that match)"
  }
}

/// `budget.csv`: a row for each limit and each API that it was held against.
package enum BudgetCSV {
  /// The file's name.
  package static let fileName = "budget.csv"
  /// The columns; new ones only at the end. `host`, `path` and `method` are empty for all that match together. `unit`
  /// says what the three numbers count: `messages`, `bytes`, `bytes_per_request`, `share` or `ms`.
  static let columns = [
    "line", "host_pattern", "path_pattern", "method_pattern", "per", "figure", "unit", "host", "path", "method",
    "limit", "actual", "over", "exceeded", "inferred_bytes",
  ]

  /// Writes the file into `folder`, which is created if need be.
  ///
  /// - Throws: when the folder or the file cannot be created or written.
  package static func write(
    _ budget: Budget, _ totals: Totals, folder: String, redaction: Redaction?
  ) throws(ReportError) {
    let file = try OutputFolder(folder).file(fileName)
    var row = CSVRow(redaction: redaction)
    try file.append(CSVRow.header(columns))
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
      row.integer(check.subject.counts[.inferred])
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
