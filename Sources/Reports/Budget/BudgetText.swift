import HTTPReassembly
import Tabular

/// The output of a run with a budget. Names are escaped; `redaction` leaves out personal facts.
package struct BudgetText {
  private let budget: Budget
  private let totals: Totals
  private let redaction: Redaction?
  /// The largest number of breaches in a table: every API may break one rule.
  private static let limit = 200

  /// The output for a budget after its check against totals.
  package init(_ budget: Budget, _ totals: Totals, redaction: Redaction?) {
    self.budget = budget
    self.totals = totals
    self.redaction = redaction
  }

  /// The breaches as a table, their number, and whether the ledger balances.
  package func text(for terminal: Terminal) -> String {
    text(width: max(terminal.textWidth, 40), colour: terminal.takesColour)
  }

  func text(width: Int, colour: Bool) -> String {
    let excesses = budget.excesses
    var lines: [String] = []
    if !excesses.isEmpty {
      var table = TextTable(columns: [
        .init(title: "API", isRight: false, minimum: min(max(width * 3 / 10, 12), 32)),
        .init(title: "pattern", isRight: false, minimum: 10, importance: 4), .init(title: "figure", isRight: false),
        .init(title: "limit", importance: 3), .init(title: "actual"), .init(title: "over", importance: 1),
      ])
      for excess in excesses.prefix(Self.limit) {
        table.rows.append(
          (
            [
              name(excess), excess.rule.text, excess.name, excess.most.text, excess.actual?.text ?? "",
              excess.excess?.text ?? "",
            ], .plain
          ))
      }
      lines += table.lines(width: width, colour: colour)
      if excesses.count > Self.limit { lines.append("… and \(Numerals.grouped(excesses.count - Self.limit)) more") }
      lines.append("")
    }
    let style: Style = excesses.isEmpty && budget.isChecked ? .good : .bad
    lines += style.lines(verdict, width: width, colour: colour)
    for line in gaps { lines += Style.warning.lines(line, width: width, colour: colour) }
    for line in UnsureOctets(totals).lines { lines += Style.warning.lines(line, width: width, colour: colour) }
    return lines.joined(separator: "\n") + "\n" + Summary.lastLine(totals.ledger) + "\n"
  }

  /// Each excess in one line, and the reasons why it was not checked, for output without a table.
  package var lines: [String] {
    let excesses = budget.excesses
    var lines = excesses.prefix(Self.limit).map { "\(name($0)): \(sentence($0))" }
    if excesses.count > Self.limit { lines.append("… and \(Numerals.grouped(excesses.count - Self.limit)) more") }
    if excesses.isEmpty, !budget.isChecked { lines.append(verdict) }
    return lines + gaps
  }

  /// The output in a format for other programs, or for a comment.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - file: The file of the limits, as annotations name it.
  ///   - isStrict: Whether a rule without any API is an error.
  ///   - terminal: The terminal that a table is fitted to.
  /// - Returns: The whole text.
  package func text(_ format: BudgetFormat, file: String, isStrict: Bool, for terminal: Terminal) -> String {
    switch format {
    case .table: text(for: terminal)
    case .markdown: markdown
    case .junit: junit(isStrict: isStrict)
    case .github: annotations(file: file, isStrict: isStrict)
    }
  }

  private func sentence(_ check: Budget.Check) -> String {
    let others =
      check.otherRules.isEmpty
      ? "" : ", and line \(Set(check.otherRules.map(\.line)).sorted().map(String.init).joined(separator: ", "))"
    return "\(check.name) is \(check.actual?.text ?? ""), the limit \(check.most.text) "
      + "(over by \(check.excess?.text ?? "")\(check.isOnlyInferred ? ", only with inferred bytes" : ""); "
      + "line \(check.rule.line): \(check.rule.text)\(others))"
  }

  /// The reasons why limits say little, a line each.
  package var gaps: [String] {
    budget.closed.map { rule, octets in
      "line \(rule.line): most of \(rule.text) is closed TLS or QUIC, \(Numerals.grouped(octets)) bytes: "
        + "--keys FILE opens it, and per: host limits it"
    }
  }

  private var verdict: String {
    let (checks, breaches) = (budget.checks.count, budget.breaches.count)
    if breaches == 0, !budget.isChecked {
      return checks == 0 ? "budget not checked: no limit applies to these captures" : "budget not checked"
    }
    let held = "\(Numerals.grouped(checks)) \(checks == 1 ? "check" : "checks")"
    guard breaches > 0 else { return "budget kept: \(held)" }
    let inferred = budget.breaches.count(where: \.isOnlyInferred)
    return "budget exceeded: \(Numerals.grouped(breaches)) of \(held)"
      + (inferred > 0 ? ", \(Numerals.grouped(inferred)) only with bytes assigned by inference" : "")
  }

  private func name(_ check: Budget.Check) -> String {
    if let step = check.step { return "step \(step.name)" }
    if let host = check.host {
      let name = totals.texts.octets(host)
      return APIKey(host: redaction?.host(name) ?? name, path: []).text
    }
    return check.api.map { APIKey($0, totals.texts).redacted(redaction).text } ?? "(all that match)"
  }

  // MARK: Markdown

  private var markdown: String {
    let excesses = budget.excesses
    var lines = ["### Traffic budget", "", (excesses.isEmpty && budget.isChecked ? "✅ " : "❌ ") + "**\(verdict)**"]
    if !excesses.isEmpty {
      lines += [
        "", MarkdownText.row(["API", "pattern", "figure", "limit", "actual", "over"]),
        MarkdownText.rule(left: 3, of: 6),
      ]
      for excess in excesses.prefix(Self.limit) {
        lines.append(
          MarkdownText.row([
            MarkdownText.code(name(excess)), MarkdownText.code(excess.rule.text), excess.name, excess.most.text,
            excess.actual?.text ?? "", excess.excess?.text ?? "",
          ]))
      }
      if excesses.count > Self.limit {
        lines += ["", "… and \(Numerals.grouped(excesses.count - Self.limit)) more."]
      }
    }
    var notes = budget.unmatched.map {
      "- ⚠️ line \($0.line): no \($0.step == nil ? "API" : "step") matches \(MarkdownText.code($0.text))"
    }
    notes += gaps.map { "- ❌ \(MarkdownText.escaped($0))" }
    notes += UnsureOctets(totals).lines.map { "- ⚠️ \($0)" }
    if totals.ledger.difference != 0 { notes.append("- ❌ \(Summary.lastLine(totals.ledger))") }
    if !notes.isEmpty { lines += [""] + notes }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: JUnit

  /// A test case for each check, and one for each rule that matches no API.
  private func junit(isStrict: Bool) -> String {
    var cases = budget.checks.map { check in
      JUnitDocument.Case(
        group: "line \(check.rule.line): \(check.rule.text)", name: "\(name(check)): \(check.name)",
        outcome: check.isExceeded
          ? .failed(
            message: "\(check.actual?.text ?? "") is over \(check.most.text) by \(check.excess?.text ?? "")",
            details: "\(name(check)): \(sentence(check))") : .passed)
    }
    for rule in budget.unmatched {
      cases.append(
        JUnitDocument.Case(
          group: "line \(rule.line): \(rule.text)", name: "matches no \(rule.step == nil ? "API" : "step")",
          outcome: isStrict ? .broken(message: rule.unmatchedText) : .skipped(message: rule.unmatchedText)))
    }
    for (rule, text) in zip(budget.closed.map(\.rule), gaps) {
      cases.append(
        JUnitDocument.Case(
          group: "line \(rule.line): \(rule.text)", name: "closed TLS", outcome: .broken(message: text)))
    }
    let notes = [verdict] + UnsureOctets(totals).lines + [Summary.lastLine(totals.ledger)]
    return JUnitDocument(name: "sniffer budget", cases: cases, note: notes.joined(separator: "\n")).text
  }

  // MARK: GitHub

  private func annotations(file: String, isStrict: Bool) -> String {
    let excesses = budget.excesses
    var commands = excesses.prefix(Self.limit).map { excess in
      WorkflowCommand(
        level: .error, file: file, line: excess.rule.line, title: "Traffic budget exceeded",
        message: "\(name(excess)): \(sentence(excess))")
    }
    if excesses.count > Self.limit {
      commands.append(
        WorkflowCommand(
          level: .error, title: "Traffic budget exceeded",
          message: "and \(Numerals.grouped(excesses.count - Self.limit)) more"))
    }
    for rule in budget.unmatched {
      commands.append(
        WorkflowCommand(
          level: isStrict ? .error : .warning, file: file, line: rule.line, title: "Traffic budget",
          message: rule.unmatchedText))
    }
    for (rule, text) in zip(budget.closed.map(\.rule), gaps) {
      commands.append(
        WorkflowCommand(
          level: .error, file: file, line: rule.line, title: "Traffic budget not checked", message: text))
    }
    for line in UnsureOctets(totals).lines {
      commands.append(WorkflowCommand(level: .warning, title: "Traffic budget", message: line))
    }
    commands.append(WorkflowCommand(level: .notice, title: "Traffic budget", message: verdict))
    return commands.map { $0.text + "\n" }.joined()
  }
}

/// The formats of a budget's result.
package enum BudgetFormat: String, CaseIterable, Sendable {
  /// For people, fitted to the terminal.
  case table
  /// For a comment on a pull request.
  case markdown
  /// For the table of tests in a CI system: a check is a test.
  case junit
  /// For annotations in GitHub Actions.
  case github
}

/// `budget.csv`: a row for each limit and each API that it was checked against.
package enum BudgetCSV {
  /// The file's name.
  package static let fileName = "budget.csv"
  /// The columns; new ones only at the end. `host`, `path` and `method` are empty for all matching APIs together. `unit` is the
  /// unit of the three numbers: `messages`, `bytes`, `bytes_per_request`, `share` or `ms`.
  static let columns = [
    "line", "host_pattern", "path_pattern", "method_pattern", "per", "figure", "unit", "host", "path", "method",
    "limit", "actual", "over", "exceeded", "inferred_bytes", "process_pattern", "process", "step_pattern", "step",
  ]

  /// Writes the file into `folder`, which is created if need be.
  ///
  /// - Throws: When the folder or the file cannot be created or written.
  package static func write(
    _ budget: Budget, _ totals: Totals, folder: String, redaction: Redaction?
  ) throws(ReportError) {
    let file = try OutputFolder(folder).file(fileName)
    var row = CSVRow(redaction: redaction)
    try file.append(CSVRow.header(columns))
    for check in budget.checks {
      row.begin()
      row.integer(check.rule.line)
      let isOfStep = check.step != nil
      for text in isOfStep ? ["", "", ""] : [check.rule.host.text, check.rule.path.text, check.rule.method ?? ""] {
        row.text(Array(text.utf8))
      }
      row.name(check.rule.scope.rawValue)
      row.name(check.limit.figure.rawValue)
      row.name(unit(check))
      if let api = check.api {
        row.host(totals.texts.octets(api.host))
        row.path(totals.texts.octets(api.path))
        row.text(totals.texts.octets(api.method))
      } else if let host = check.host {
        row.host(totals.texts.octets(host))
        for _ in 0..<2 { row.empty() }
      } else {
        for _ in 0..<3 { row.empty() }
      }
      for value in [check.most, check.actual, check.excess] { append(value, to: &row) }
      row.integer(check.isExceeded ? 1 : 0)
      row.integer(check.subject.counts[.inferred])
      row.text(Array((check.rule.process?.text ?? "").utf8))
      row.text(check.api.map { totals.texts.octets($0.process) } ?? [])
      row.text(Array((check.rule.step?.text ?? "").utf8))
      row.text(check.step?.label ?? [])
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
    // Both numbers are divided by a million.
    case .millionths(let value), .nanoseconds(let value): row.milliseconds(Int64(value))
    }
  }
}
