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
    /// The other rules whose limits for the same figure of the same APIs are exceeded, too, but by less.
    fileprivate(set) package var otherRules: [BudgetRule] = []
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

  /// What is exceeded, each once: where several rules limit the same figure of the same API, or of the same pattern, it is the strictest
  /// limit.
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
