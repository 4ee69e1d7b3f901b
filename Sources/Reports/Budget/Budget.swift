import HTTPReassembly

/// Limits held against the APIs of an analysis.
package struct Budget {
  /// A limit held against an API, or against all that match.
  package struct Check {
    /// The rule that the limit is of.
    package let rule: BudgetRule
    /// The limit.
    package let limit: BudgetLimit
    /// The API; nil: all that match together.
    let api: APITotals?
    /// What the limit was held against.
    let subject: BudgetSubject
    /// Whether it is exceeded.
    package let isExceeded: Bool
  }

  /// Every limit against everything it is for: in the order of the file, and of the APIs in reports.
  package private(set) var checks: [Check] = []
  /// The rules that are about no API of the analysis.
  package private(set) var unmatched: [BudgetRule] = []

  /// Holds rules against the totals of an analysis.
  package init(_ rules: [BudgetRule], _ totals: Totals) {
    for rule in rules {
      let apis = totals.apis.filter { api in
        rule.matches(APIKey(api, totals.texts))
      }
      if apis.isEmpty { unmatched.append(rule) }
      if rule.scope == .match, !apis.isEmpty {
        var together = BudgetSubject()
        for api in apis { together.add(BudgetSubject(api)) }
        check(rule, nil, together)
      } else {
        for api in apis { check(rule, api, BudgetSubject(api)) }
      }
    }
  }

  /// The limits that are exceeded.
  package var breaches: [Check] { checks.filter(\.isExceeded) }

  private mutating func check(_ rule: BudgetRule, _ api: APITotals?, _ subject: BudgetSubject) {
    for limit in rule.limits {
      checks.append(
        Check(
          rule: rule, limit: limit, api: api, subject: subject,
          isExceeded: subject.exceeds(limit, perRequest: rule.scope == .request)))
    }
  }
}

extension BudgetSubject {
  /// An API.
  fileprivate init(_ api: APITotals) {
    counts = APICounts(api)
    wait = api.wait
  }

  /// Adds another API.
  fileprivate mutating func add(_ other: BudgetSubject) {
    counts.add(other.counts)
    wait.merge(other.wait)
  }
}
