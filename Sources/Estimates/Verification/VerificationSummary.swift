import HTTPReassembly

/// A verification in a few figures. Octets; differences are app minus wire.
///
/// Over HTTP/2 an app has the text of fields, and the wire has frames with compressed fields. Figures of the wire are those of the
/// text here, without the headers of frames. `compressed` and `frames` have the rest.
public struct VerificationSummary: Sendable {
  /// Octets in the log and on the wire, side by side.
  public struct Balance: Sendable, Equatable {
    /// Messages, or rows.
    public var count = 0
    /// Octets in the log.
    public var app = 0
    /// Octets on the wire.
    public var wire = 0
    /// Octets that no cause explains: the sum of each row's absolute value.
    public var unexplained = 0

    /// App minus wire.
    public var difference: Int { app - wire }

    mutating func add(_ comparison: FigureComparison, unexplained: Int? = nil) {
      count += 1
      app += comparison.app ?? 0
      wire += (comparison.wire ?? 0) + comparison.causes.filter(\.kind.isCoding).octets
      self.unexplained += abs(unexplained ?? comparison.unexplained)
    }

    mutating func add(_ row: VerifiedRow) { add(row.total, unexplained: row.unexplained) }
  }

  /// A phase of exchanges in the log and on the wire.
  public struct PhaseBalance: Sendable {
    /// The phase's name in HAR 1.2.
    public var name: String
    /// Rows whose phase has a duration on both sides.
    public var rows = 0
    /// The median of the app's durations, in nanoseconds.
    public var app: Int64 = 0
    /// The median of the wire's durations, in nanoseconds.
    public var wire: Int64 = 0
    /// The median of the differences, app minus wire, in nanoseconds.
    public var difference: Int64 = 0
    /// The size that nineteen of twenty differences do not exceed, in nanoseconds.
    public var spread: Int64 = 0
  }

  /// The octets that one cause explains.
  public struct CauseTotal: Sendable {
    /// Kind and detail. Its octets are the sum over all rows.
    public var cause: Cause
    /// Rows with this cause.
    public var rows = 0
  }

  /// Rows of the log with a message.
  public private(set) var matched = Balance()
  /// Rows of the log without a message.
  public private(set) var appOnly = Balance()
  /// Messages without a row, to hosts that the log knows.
  public private(set) var wireOnly = Balance()
  /// Those of them that an app could have seen.
  public private(set) var missed = Balance()
  /// Messages to other hosts, which the app's monitor does not cover.
  public private(set) var otherHosts = Balance()
  /// Matched requests.
  public private(set) var requests = Balance()
  /// Matched responses.
  public private(set) var responses = Balance()
  /// Matched rows that have a figure of the start-line.
  public private(set) var lines = Balance()
  /// Matched rows that have a figure of the header section.
  public private(set) var headers = Balance()
  /// Matched rows that have a figure of the body.
  public private(set) var bodies = Balance()
  /// Matched rows for which another message, with other figures, is as likely.
  public private(set) var ambiguous = Balance()
  /// Matched rows without a figure of the whole message.
  public private(set) var rowsWithoutFigures = 0
  /// Causes over all rows except other hosts' messages, by octets, largest first.
  public private(set) var causes: [CauseTotal] = []
  /// Host, path and balance of matched and unmatched rows together, without other hosts. The largest difference comes first;
  /// among equals, the most unexplained octets.
  public private(set) var apis: [(host: String, path: String, balance: Balance)] = []
  /// Rows with nothing to explain: each figure is the wire's, or differs only by octets that no app can see.
  public private(set) var exactRows = 0
  /// Durations of phases for the app and on the wire.
  public private(set) var phases: [PhaseBalance] = []
  /// Octets that the compression of fields saved in the matched messages: text less representations.
  public private(set) var compressed = 0
  /// Octets of frames' headers and padding in the matched messages.
  public private(set) var frames = 0
  /// The matched rows with octets that no cause explains, in the order of the log.
  public private(set) var unexplainedRows: [VerifiedRow] = []
  /// The sum of the figures of parts: start-lines, header sections and bodies.
  private var parts = Balance()
  /// Retransmitted and overhead octets of the matched messages, which are never visible to an app.
  public private(set) var invisible = 0

  /// Sums up a verification.
  public init(_ verification: Verification) {
    let hosts = Set(verification.rows.compactMap { $0.entry.map { MatchKey($0).host } })
    var causes: [Cause.Name: CauseTotal] = [:]
    var apis: [APIName: Balance] = [:]
    let countsText = verification.countsText
    for row in verification.rows {
      var row = row
      if countsText, let message = row.message, row.entry == nil, message.isEncoded {
        let text = message.visibleOctets.total
        for index in row.total.causes.indices where row.total.causes[index].octets == -(row.total.wire ?? 0) {
          row.total.causes[index].octets = -text
        }
        row.total.wire = text
      }
      if let message = row.message, row.entry == nil, !hosts.contains(MatchKey(message).host) {
        otherHosts.add(row.total)
        continue
      }
      add(row)
      // A figure that is unknown is not 0.
      if row.entry == nil || row.total.app != nil {
        apis[APIName(host: row.host, path: row.path), default: Balance()].add(row)
      }
      for cause in row.causes where !cause.kind.isCoding {
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
    case .wireOnly:
      wireOnly.add(row.total)
      if !row.total.causes.contains(where: \.kind.isInvisible) { missed.add(row.total) }
    case .matched, .ambiguous:
      if let message = row.message?.row { invisible += message.ipLength - message.octets.total }
      if row.line.app != nil { lines.add(row.line) }
      if row.header.app != nil { headers.add(row.header) }
      if row.body.app != nil { bodies.add(row.body) }
      for part in [row.line, row.header, row.body] where part.app != nil { parts.add(part) }
      if row.unexplained != 0 { unexplainedRows.append(row) }
      let coding = row.total.app == nil ? row.header.causes + row.line.causes : row.total.causes
      for cause in coding where cause.kind == .fieldCompression { compressed += cause.octets }
      for cause in coding where cause.kind == .frameHeaders { frames -= cause.octets }
      guard row.total.app != nil else {
        rowsWithoutFigures += 1
        unexplained += abs(row.unexplained)
        return
      }
      matched.add(row)
      unexplained += abs(row.unexplained)
      if row.total.causes.contains(where: { $0.kind == .ambiguous }) { ambiguous.add(row) }
      if row.isExact { exactRows += 1 }
      if row.entry?.kind == .request { requests.add(row) } else { responses.add(row) }
    }
  }

  /// The number of messages of the log's hosts on the wire.
  public var wireMessages: Int { matched.count + rowsWithoutFigures + wireOnly.count }
  /// Their octets.
  public var wireOctets: Int { matched.wire + wireOnly.wire }
  /// Octets that no cause explains, in all matched rows.
  public private(set) var unexplained = 0
  /// The `apis` with a difference or unexplained octets.
  public var wrongAPIs: [(host: String, path: String, balance: Balance)] {
    apis.filter { $0.balance.difference != 0 || $0.balance.unexplained != 0 }
  }
  /// The difference of the app's and the wire's octets over all of the log's hosts, as a share of the wire's. A tolerance limits
  /// it. Nil when no row has a figure of a whole message, or the wire no octets.
  public var bias: Double? {
    let wire = matched.wire + wireOnly.wire
    return wire == 0 || matched.count == 0 ? nil : Double(matched.app + appOnly.app - wire) / Double(wire)
  }
  /// As `bias`, of the parts of matched messages that have figures; nil when there are none.
  public var partsBias: Double? {
    parts.wire == 0 ? nil : Double(parts.difference) / Double(parts.wire)
  }

  /// Whether any matched row has a figure.
  public var hasFigures: Bool { matched.count > 0 || parts.count > 0 }

  private struct APIName: Hashable {
    var host: String
    var path: String
  }
}

extension VerifiedRow {
  /// Whether each figure is the wire's, or differs only by octets that an app never sees.
  fileprivate var isExact: Bool {
    message != nil && unexplained == 0 && total.causes.allSatisfy { $0.kind.isInvisible || $0.kind.isCoding }
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
