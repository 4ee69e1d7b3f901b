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

    mutating func add(_ comparison: FigureComparison) {
      count += 1
      app += comparison.app ?? 0
      wire += comparison.wire ?? 0
      unexplained += abs(comparison.unexplained)
    }
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
  /// Matched rows whose log has no figure at all.
  public private(set) var rowsWithoutFigures = 0
  /// Causes over all rows but those of other hosts, by octets, largest first.
  public private(set) var causes: [CauseTotal] = []
  /// Host, path and balance of matched and unmatched rows together, not other hosts: largest difference first, of equals
  /// those of which most is unexplained.
  public private(set) var apis: [(host: String, path: String, balance: Balance)] = []
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
      apis[APIName(host: row.host, path: row.path), default: Balance()].add(row.total)
      for cause in row.total.causes {
        causes[Cause.Name(cause), default: CauseTotal(cause: Cause(cause.kind, 0, detail: cause.detail))].add(cause)
      }
    }
    self.causes = causes.values.sorted {
      let octets = (abs($0.cause.octets), abs($1.cause.octets))
      return octets.0 == octets.1 ? $0.cause.name < $1.cause.name : octets.0 > octets.1
    }
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
    case .matched:
      if let message = row.message?.row { invisible += message.retransmitted + message.overhead }
      guard row.total.app != nil else {
        rowsWithoutFigures += 1
        return
      }
      matched.add(row.total)
      if row.entry?.kind == .request { requests.add(row.total) } else { responses.add(row.total) }
      if row.line.app != nil { lines.add(row.line) }
      if row.header.app != nil { headers.add(row.header) }
      if row.body.app != nil { bodies.add(row.body) }
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
