import HTTPReassembly

/// Checks the APIs of an analysis against limits.
package struct Budget {
  /// A check of a limit against an API, or against all that match.
  package struct Check {
    /// The rule of the limit.
    package let rule: BudgetRule
    /// The limit.
    package let limit: BudgetLimit
    /// The API; nil for all that match together.
    let api: APITotals?
    /// The checked figures.
    let subject: BudgetSubject
    /// Whether it is exceeded.
    package let isExceeded: Bool
    /// Other rules with a limit for the same figure of the same APIs that is exceeded by less.
    fileprivate(set) package var otherRules: [BudgetRule] = []
  }

  /// Every limit with everything that it applies to, in the order of the file, and of the APIs in reports.
  package private(set) var checks: [Check] = []
  /// The rules that match no API of the analysis.
  package private(set) var unmatched: [BudgetRule] = []

  /// Checks the totals of an analysis against rules.
  package init(_ rules: [BudgetRule], _ totals: Totals) {
    for rule in rules {
      let apis = totals.apis.filter { api in
        rule.matches(APIKey(api, totals.texts))
      }
      let hosts = rule.isByHost ? totals.hosts.filter { rule.host.matches(totals.texts.octets($0.host)) } : []
      if apis.isEmpty, hosts.isEmpty { unmatched.append(rule) }
      if rule.scope == .match, !apis.isEmpty || !hosts.isEmpty {
        var together = BudgetSubject()
        for api in apis { together.add(BudgetSubject(api)) }
        together.handshake = hosts.reduce(0) { $0 + $1.handshake }
        check(rule, nil, together)
      } else {
        for api in apis { check(rule, api, BudgetSubject(api)) }
      }
    }
  }

  /// The limits that are exceeded.
  package var breaches: [Check] { checks.filter(\.isExceeded) }

  /// The excesses, each once. If several rules limit the same figure of the same API, or of the same pattern, the strictest limit
  /// counts.
  package var excesses: [Check] {
    struct Subject: Hashable {
      var api: [TextID]
      var pattern: String
      var figure: String
    }
    var positions: [Subject: Int] = [:]
    var excesses: [Check] = []
    for breach in breaches {
      let api = breach.api.map { [$0.host, $0.path, $0.method, $0.process] } ?? []
      let subject = Subject(api: api, pattern: api.isEmpty ? breach.rule.text : "", figure: breach.name)
      guard let position = positions[subject] else {
        positions[subject] = excesses.count
        excesses.append(breach)
        continue
      }
      let known = excesses[position]
      var strictest = breach.limit.most < known.limit.most ? breach : known
      let other = breach.limit.most < known.limit.most ? known : breach
      strictest.otherRules = known.otherRules + [other.rule]
      excesses[position] = strictest
    }
    return excesses
  }

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
  /// The figures of an API.
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
