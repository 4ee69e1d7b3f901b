import HTTPReassembly

/// Checks the APIs of an analysis against limits.
package struct Budget {
  /// A check of a limit against an API, or against all that match.
  package struct Check {
    /// The rule of the limit.
    package let rule: BudgetRule
    /// The limit.
    package let limit: BudgetLimit
    /// The API; nil for all that match together, and for a host.
    let api: APITotals?
    /// The host of a check of a host; nil for others.
    var host: TextID?
    /// The step of a check of a step; nil for others.
    var step: StepTotals?
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
  /// Rules whose traffic is mostly closed TLS or QUIC, with its octets: their limits of APIs say little.
  package private(set) var closed: [(rule: BudgetRule, octets: Int)] = []

  /// Checks the totals of an analysis against rules.
  package init(_ rules: [BudgetRule], _ totals: Totals) {
    for rule in rules {
      if let pattern = rule.step {
        let steps = totals.steps.filter { $0.number > 0 && pattern.matches($0.label) }
        if steps.isEmpty { unmatched.append(rule) }
        for step in steps { check(rule, nil, BudgetSubject(step), step: step) }
        continue
      }
      let apis = totals.apis.filter { api in
        rule.matches(APIKey(api, totals.texts))
      }
      let hosts = rule.isByHost ? totals.hosts.filter { rule.host.matches(totals.texts.octets($0.host)) } : []
      if rule.scope == .host ? hosts.isEmpty : apis.isEmpty && hosts.isEmpty { unmatched.append(rule) }
      note(rule, apis, totals)
      if rule.scope == .host {
        for host in hosts { check(rule, nil, BudgetSubject(host), host: host.host) }
      } else if rule.scope == .match, !apis.isEmpty || !hosts.isEmpty {
        var together = BudgetSubject()
        for api in apis { together.add(BudgetSubject(api)) }
        together.handshake = hosts.reduce(0) { $0 + $1.handshake }
        check(rule, nil, together)
      } else {
        for api in apis { check(rule, api, BudgetSubject(api)) }
      }
    }
  }

  /// Notes a rule when more of its hosts' octets are closed than its APIs have.
  private mutating func note(_ rule: BudgetRule, _ apis: [APITotals], _ totals: Totals) {
    // Closed connections have exact octets, too.
    guard rule.scope != .host, !rule.limits.allSatisfy(\.figure.isOfConnections) else { return }
    let octets = totals.secureHosts.reduce(0) { sum, host in
      rule.host.matches(host.serverName) ? sum + host.up + host.down : sum
    }
    if octets > apis.reduce(0, { $0 + $1.ipLength }) { closed.append((rule, octets)) }
  }

  /// Whether it was checked: there is a check, and closed TLS does not hide most of a rule's traffic.
  package var isChecked: Bool { !checks.isEmpty && closed.isEmpty }

  /// The limits that are exceeded.
  package var breaches: [Check] { checks.filter(\.isExceeded) }

  /// The excesses, each once. If several rules limit the same figure of the same API, or of the same pattern, the strictest limit
  /// counts.
  package var excesses: [Check] {
    struct Subject: Hashable {
      var api: [TextID]
      var step: Int?
      var pattern: String
      var figure: String
    }
    var positions: [Subject: Int] = [:]
    var excesses: [Check] = []
    for breach in breaches {
      let api = breach.api.map { [$0.host, $0.path, $0.method, $0.process] } ?? breach.host.map { [$0] } ?? []
      let step = breach.step?.number
      let subject = Subject(
        api: api, step: step, pattern: api.isEmpty && step == nil ? breach.rule.text : "", figure: breach.name)
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

  private mutating func check(
    _ rule: BudgetRule, _ api: APITotals?, _ subject: BudgetSubject, host: TextID? = nil,
    step: StepTotals? = nil
  ) {
    for limit in rule.limits {
      checks.append(
        Check(
          rule: rule, limit: limit, api: api, host: host, step: step, subject: subject,
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

  /// The figures of a host, with all octets of its connections.
  fileprivate init(_ host: HostTotals) {
    counts[.requests] = host.requests
    counts[.responses] = host.responses
    counts[.requestIP] = host.up
    counts[.responseIP] = host.down
    handshake = host.handshake
  }

  /// The figures of a step, with all of its octets that are IP.
  fileprivate init(_ step: StepTotals) {
    counts[.requestIP] = step.ipOctets(.up)
    counts[.responseIP] = step.ipOctets(.down)
    undirected = step.ipOctets(.unknown)
  }

  /// Adds another API.
  fileprivate mutating func add(_ other: BudgetSubject) {
    counts.add(other.counts)
    wait.merge(other.wait)
  }
}
