import HTTPReassembly

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
    text(width: max(terminal.width ?? Summary.defaultWidth, 40), colour: terminal.takesColour)
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
      if breaches.count > Self.limit { lines.append("… and \(Summary.grouped(breaches.count - Self.limit)) more") }
      lines.append("")
    }
    let style: Style = breaches.isEmpty ? .good : .bad
    lines += verdict.wrapped(to: width).map { style.apply($0, colour: colour) }
    return lines.joined(separator: "\n") + "\n" + Summary.lastLine(totals.ledger) + "\n"
  }

  /// Each breach in one line, where no table is printed.
  package var lines: [String] {
    let breaches = budget.breaches
    var lines = breaches.prefix(Self.limit).map { breach in
      "\(name(breach)): \(breach.name) is \(breach.actual?.text ?? ""), the limit \(breach.most.text) "
        + "(over by \(breach.excess?.text ?? ""); line \(breach.rule.line): \(breach.rule.text))"
    }
    if breaches.count > Self.limit { lines.append("… and \(Summary.grouped(breaches.count - Self.limit)) more") }
    return lines
  }

  private var verdict: String {
    let (checks, breaches) = (budget.checks.count, budget.breaches.count)
    let held = "\(Summary.grouped(checks)) \(checks == 1 ? "check" : "checks")"
    return breaches == 0
      ? "budget kept: \(held)" : "budget exceeded: \(Summary.grouped(breaches)) of \(held)"
  }

  private func name(_ check: Budget.Check) -> String {
    check.api.map { APIName.string($0, texts: totals.texts, redaction: redaction) } ?? "(all that match)"
  }
}
