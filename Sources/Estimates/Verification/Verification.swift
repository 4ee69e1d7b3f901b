import HTTPReassembly

/// The comparison of an app's log with the wire.
public struct Verification: Sendable {
  /// A row for each row of the log, in its order. Then a row for each message on the wire that has none, by number.
  public private(set) var rows: [VerifiedRow] = []
  /// The log's clock beside the capture's; nil when the log has no times.
  public private(set) var clock: ClockFit?
  /// Messages beyond the limit, which were not compared; nil when all were.
  public let leftOut: WireTable.LeftOut?
  /// The number of connections of TLS that were not opened, by the name of the server.
  public let closed: [String: Int]
  /// The side of a proxy that the log was held against; nil where the capture does not have both.
  public internal(set) var leg: Leg?
  /// The words for a row of the log and for several.
  public let rowNoun: (one: String, more: String)
  /// The ways in which the app seems to count requests.
  public private(set) var requestReadings: [BestReading] = []
  /// The ways in which the app seems to count responses.
  public private(set) var responseReadings: [BestReading] = []

  /// Compares a log with the wire.
  ///
  /// - Parameters:
  ///   - log: The app's log.
  ///   - wire: The messages of the capture, by number.
  ///   - timings: The durations of the phases of the capture's exchanges, by the exchange's number.
  ///   - leftOut: Messages that are not among them.
  ///   - closed: Connections of TLS that were not opened, by the name of the server.
  ///   - tolerance: Nanoseconds by which a row's time may be off from its message's, after the clocks' offset.
  public init(
    _ log: AppLog, _ wire: [WireMessage], timings: [Int: ExchangeTimings] = [:], leftOut: WireTable.LeftOut? = nil,
    closed: [String: Int] = [:], tolerance: Int64 = 5_000_000_000
  ) {
    self.leftOut = leftOut
    self.closed = closed
    rowNoun = log.rowNoun
    let exchanged = ExchangedColumns.found(in: log, wire)
    var log = log
    if let exchanged { log.entries = exchanged.restored(log.entries) }
    var matching = Matching(log, wire, tolerance: tolerance)
    clock = matching.clock

    var sure = Matching.SurePairs()
    for (index, entry) in log.entries.enumerated() {
      guard let match = matching.matches[index], !match.isOpen, !match.isChain else { continue }
      guard wire[match.message].isPaired else { continue }
      let pair = Matching.SurePair(entry: index, message: match.message)
      if entry.kind == .request { sure.requests.append(pair) } else { sure.responses.append(pair) }
    }
    let (requestReadings, responseReadings) = matching.readings(of: sure)
    self.requestReadings = requestReadings.best
    self.responseReadings = responseReadings.best

    let contentKinds = Self.contentKinds(matching, log, wire) { $0 == .request ? requestReadings : responseReadings }
    // Growth by doubling would take as much memory again.
    rows.reserveCapacity(log.entries.count + wire.count)
    // A row may have the time of the first try.
    let repeated = Set(matching.sentAgain.values.map { wire[$0].row.exchange })
    for (index, entry) in log.entries.enumerated() {
      let readings = entry.kind == .request ? requestReadings : responseReadings
      guard let match = matching.matches[index] else {
        rows.append(
          Self.unmatched(
            entry, matching.strays[index], mayBeLeftOut: mayBeLeftOut(entry, tolerance),
            isClosed: closed[MatchKey(entry).host] != nil, isKnown: readings.isWhole(entry)))
        continue
      }
      let message = wire[match.message]
      let related = RelatedMessages(match, of: message, wire, contentKinds)
      var row = readings.compare(entry, message, related)
      if match.isOpen || !message.isPaired { row = Self.open(row) }
      if match.isOpen { row.total.causes.append(Cause(.ambiguous, 0)) }
      if !message.isPaired, row.total.difference != 0 { row.total.causes.append(Cause(.inferredPairing, 0)) }
      if let exchanged { row.total.causes.append(Cause(.exchangedColumns, 0, detail: exchanged.words)) }
      row.isAmbiguous = match.isAmbiguous
      let sent = message.row.status
      if entry.kind == .response, !match.isChain, !match.isAmbiguous, !WireExchange.agree(entry.status, sent),
        entry.status != 200
      {
        row.total.causes.append(Cause(.otherStatus, 0, detail: "\(entry.status) for \(sent)"))
      }
      if match.timeShift != nil, !match.isOpen, !repeated.contains(message.row.exchange) {
        row.total.causes.append(Cause(.timeShifted, 0))
      }
      if let phases = entry.phases, let times = timings[message.row.exchange] { row.phases = (phases, times) }
      rows.append(row)
    }
    let redirects = matching.redirected.union(
      matching.matches.lazy.compactMap { $0 }.filter(\.isChain).flatMap(\.hops).map { wire[$0].row.exchange })
    for (index, message) in wire.enumerated() where matching.entries[index] == nil {
      rows.append(
        Self.unmatched(
          message,
          matching.sentAgain[index] != nil
            ? .sentAgain
            : message.row.kind == .interim
              ? .interim
              : redirects.contains(message.row.exchange) ? .redirect : .missedByApp, loggedAt: matching.misplaced[index]
        ))
    }
  }

  /// The log's hosts with connections of TLS that were not opened.
  public var closedHosts: Set<String> {
    Set(closed.keys).intersection(rows.compactMap { $0.entry.map { MatchKey($0).host } })
  }

  /// Whether the log counts the text of fields: also where no row over HTTP/2 tells.
  var countsText: Bool {
    let figures = rows.filter { row in
      row.entry != nil && row.message?.isEncoded == true && (row.header.app != nil || row.total.app != nil)
    }
    return figures.isEmpty
      || figures.contains { ($0.header.causes + $0.total.causes).contains { $0.kind == .fieldCompression } }
  }

  /// The row without causes, because another message with other figures is as likely.
  private static func open(_ row: VerifiedRow) -> VerifiedRow {
    // The coding of HTTP/2 is never the app's.
    func open(_ comparison: FigureComparison) -> FigureComparison {
      var open = comparison
      open.causes = comparison.causes.filter(\.kind.isCoding)
      open.unexplained = (comparison.difference ?? 0) - open.causes.octets
      return open
    }
    var row = row
    (row.line, row.header, row.body, row.total) = (open(row.line), open(row.header), open(row.body), open(row.total))
    return row
  }

  /// Whether a row's message may be one that was left out: the row is from their time, or has no time.
  private func mayBeLeftOut(_ entry: LogEntry, _ tolerance: Int64) -> Bool {
    guard let leftOut else { return false }
    guard let time = entry.time, let clock else { return true }
    return clock.captureTime(time).saturatingSubtract(-tolerance) >= leftOut.firstTime
  }

  /// The result for a row of the log without a message.
  private static func unmatched(
    _ entry: LogEntry, _ stray: Matching.Stray?, mayBeLeftOut: Bool, isClosed: Bool, isKnown: Bool
  ) -> VerifiedRow {
    var row = VerifiedRow(entry: entry)
    row.line.app = entry.lineLength
    row.header.app = entry.headerLength
    row.body.app = entry.bodyLength
    let parts = [entry.lineLength, entry.headerLength, entry.bodyLength].compactMap { $0 }
    let length = entry.length ?? parts.reduce(0, +)
    row.total = FigureComparison(app: isKnown ? length : nil, wire: 0)
    guard isKnown else { return row }
    let cause =
      switch stray {
      case .doubled: Cause(.doubled, length)
      case .neverSent: Cause(.neverSent, length)
      case .otherHost(let host): Cause(.otherHost, length, detail: host)
      case nil:
        Cause(
          entry.isFromCache
            ? .cache
            : mayBeLeftOut ? .leftOut : entry.isPending ? .pending : isClosed ? .closed : .missedByWire, length)
      }
    row.total.causes = [cause].significant
    return row
  }

  /// The result for a message without a row in the log.
  private static func unmatched(_ message: WireMessage, _ kind: Cause.Kind, loggedAt host: String?) -> VerifiedRow {
    let octets = message.row.octets
    var row = VerifiedRow(message: message)
    row.line.wire = octets.startLine
    row.header.wire = octets.header
    row.body.wire = octets.body
    row.total = FigureComparison(app: 0, wire: octets.total)
    row.total.causes =
      [
        host.map { Cause(.otherHost, -octets.total, detail: $0) } ?? Cause(kind, -octets.total)
      ].significant
    return row
  }
}
