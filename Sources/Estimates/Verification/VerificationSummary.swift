import HTTPReassembly

/// What a verification says in a few figures. Octets; differences are app minus wire.
public struct VerificationSummary: Sendable {
  /// The app's and the wire's octets of something, side by side.
  public struct Balance: Sendable, Equatable {
    /// Messages, or rows.
    public var count = 0
    /// What the app says.
    public var app = 0
    /// What the wire says.
    public var wire = 0
    /// Octets that no cause explains, as absolute values a row.
    public var unexplained = 0

    /// App minus wire.
    public var difference: Int { app - wire }

    mutating func add(_ comparison: FigureComparison, unexplained: Int? = nil) {
      count += 1
      app += comparison.app ?? 0
      wire += comparison.wire ?? 0
      self.unexplained += abs(unexplained ?? comparison.unexplained)
    }

    mutating func add(_ row: VerifiedRow) { add(row.total, unexplained: row.unexplained) }
  }

  /// A phase of exchanges in the log and on the wire.
  public struct PhaseBalance: Sendable {
    /// The phase's name in HAR 1.2.
    public var name: String
    /// Rows for which both know it.
    public var rows = 0
    /// The middle of the app's durations, in nanoseconds.
    public var app: Int64 = 0
    /// The middle of the wire's durations, in nanoseconds.
    public var wire: Int64 = 0
    /// The middle of the differences, app minus wire, in nanoseconds.
    public var difference: Int64 = 0
    /// Of twenty differences nineteen are at most this large, in nanoseconds.
    public var spread: Int64 = 0
  }

  /// What one cause explains.
  public struct CauseTotal: Sendable {
    /// Kind and detail; its octets are the sum over all rows.
    public var cause: Cause
    /// Rows with it.
    public var rows = 0
  }

  /// Rows of the log with a message.
  public private(set) var matched = Balance()
  /// Rows of the log without.
  public private(set) var appOnly = Balance()
  /// Messages of hosts that the log knows, without row.
  public private(set) var wireOnly = Balance()
  /// Messages of other hosts: traffic that the app's monitor is not about.
  public private(set) var otherHosts = Balance()
  /// Matched requests.
  public private(set) var requests = Balance()
  /// Matched responses.
  public private(set) var responses = Balance()
  /// Matched rows with a figure, by part.
  public private(set) var lines = Balance()
  /// As `lines`, header sections.
  public private(set) var headers = Balance()
  /// As `lines`, bodies.
  public private(set) var bodies = Balance()
  /// Of the matched rows those of which another message, with other figures, is as likely.
  public private(set) var ambiguous = Balance()
  /// Matched rows whose log has no figure of the whole message.
  public private(set) var rowsWithoutFigures = 0
  /// Causes over all rows but those of other hosts, by octets, largest first.
  public private(set) var causes: [CauseTotal] = []
  /// Host, path and balance of matched and unmatched rows together, not other hosts: largest difference first, of equals
  /// those of which most is unexplained.
  public private(set) var apis: [(host: String, path: String, balance: Balance)] = []
  /// Rows that have nothing to explain: each figure is the wire's, or differs by what no app can see.
  public private(set) var exactRows = 0
  /// How long phases took for the app and on the wire.
  public private(set) var phases: [PhaseBalance] = []
  /// Retransmitted and overhead octets of the matched messages: never visible to an app.
  public private(set) var invisible = 0

  /// Sums up.
  public init(_ verification: Verification) {
    let hosts = Set(verification.rows.compactMap { $0.entry.map { MatchKey($0).host } })
    var causes: [Cause.Name: CauseTotal] = [:]
    var apis: [APIName: Balance] = [:]
    for row in verification.rows {
      if let message = row.message, row.entry == nil, !hosts.contains(MatchKey(message).host) {
        otherHosts.add(row.total)
        continue
      }
      add(row)
      apis[APIName(host: row.host, path: row.path), default: Balance()].add(row)
      for cause in row.total.causes {
        causes[Cause.Name(cause), default: CauseTotal(cause: Cause(cause.kind, 0, detail: cause.detail))].add(cause)
      }
    }
    self.causes = causes.values.sorted {
      let octets = (abs($0.cause.octets), abs($1.cause.octets))
      return octets.0 == octets.1 ? $0.cause.name < $1.cause.name : octets.0 > octets.1
    }
    phases = PhaseBalance.all(verification.rows)
    self.apis = apis.map { (host: $0.key.host, path: $0.key.path, balance: $0.value) }.sorted { a, b in
      for figure in [{ abs($0.difference) }, \.unexplained] as [(Balance) -> Int] {
        let (mine, other) = (figure(a.balance), figure(b.balance))
        if mine != other { return mine > other }
      }
      return (a.host, a.path) < (b.host, b.path)
    }
  }

  private mutating func add(_ row: VerifiedRow) {
    switch row.status {
    case .appOnly: appOnly.add(row.total)
    case .wireOnly: wireOnly.add(row.total)
    case .matched, .ambiguous:
      if let message = row.message?.row { invisible += message.ipLength - message.octets.total }
      if row.line.app != nil { lines.add(row.line) }
      if row.header.app != nil { headers.add(row.header) }
      if row.body.app != nil { bodies.add(row.body) }
      guard row.total.app != nil else {
        rowsWithoutFigures += 1
        return
      }
      matched.add(row)
      if row.total.causes.contains(where: { $0.kind == .ambiguous }) { ambiguous.add(row) }
      if row.isExact { exactRows += 1 }
      if row.entry?.kind == .request { requests.add(row) } else { responses.add(row) }
    }
  }

  /// Messages of the log's hosts on the wire.
  public var wireMessages: Int { matched.count + rowsWithoutFigures + wireOnly.count }
  /// Octets of them.
  public var wireOctets: Int { matched.wire + wireOnly.wire }
  /// Octets that no cause explains.
  public var unexplained: Int { matched.unexplained }
  /// Those of `apis` that differ, or have something unexplained.
  public var wrongAPIs: [(host: String, path: String, balance: Balance)] {
    apis.filter { $0.balance.difference != 0 || $0.balance.unexplained != 0 }
  }
  /// What the app says in all, against what the wire says of the log's hosts, as a share of the wire's: what a tolerance
  /// is about. Nil when the wire has nothing.
  public var bias: Double? {
    let wire = matched.wire + wireOnly.wire
    return wire == 0 ? nil : Double(matched.app + appOnly.app - wire) / Double(wire)
  }

  private struct APIName: Hashable {
    var host: String
    var path: String
  }
}

extension VerifiedRow {
  /// Whether each figure is the wire's, or differs by what is never shown to an app.
  fileprivate var isExact: Bool {
    message != nil && unexplained == 0 && total.causes.allSatisfy { $0.kind.isInvisible }
  }
}

extension VerificationSummary.PhaseBalance {
  fileprivate static func all(_ rows: [VerifiedRow]) -> [Self] {
    let names: [(String, KeyPath<ExchangeTimings, Int64?>)] = [
      ("dns", \.dns), ("connect", \.connect), ("tls", \.tls), ("send", \.send), ("wait", \.wait),
      ("receive", \.receive),
    ]
    return names.compactMap { name, duration in
      let pairs = rows.compactMap { row -> (app: Int64, wire: Int64)? in
        guard let app = row.phases?.app[keyPath: duration], let wire = row.phases?.wire[keyPath: duration]
        else { return nil }
        return (app, wire)
      }
      guard !pairs.isEmpty else { return nil }
      func middle(_ values: [Int64]) -> Int64 { values.sorted()[values.count / 2] }
      let differences = pairs.map { $0.app.saturatingSubtract($0.wire) }
      let sizes = differences.map { Int64(clamping: $0.magnitude) }.sorted()
      return Self(
        name: name, rows: pairs.count, app: middle(pairs.map(\.app)), wire: middle(pairs.map(\.wire)),
        difference: middle(differences), spread: sizes[min(sizes.count * 19 / 20, sizes.count - 1)])
    }
  }
}

extension VerificationSummary.CauseTotal {
  fileprivate mutating func add(_ cause: Cause) {
    self.cause.octets += cause.octets
    rows += 1
  }
}

extension Cause {
  /// Kind and detail, without octets.
  fileprivate struct Name: Hashable {
    var kind: Kind
    var detail: String

    init(_ cause: Cause) {
      kind = cause.kind
      detail = cause.detail
    }
  }
}
