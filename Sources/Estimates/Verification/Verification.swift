import HTTPReassembly

/// An app's log held against the wire.
public struct Verification: Sendable {
  /// A row for each row of the log, in its order, then one for each message on the wire that has none, by number.
  public private(set) var rows: [VerifiedRow] = []
  /// The log's clock minus the capture's, in nanoseconds; nil when the log has no times.
  public private(set) var clockOffset: Int64?
  /// Messages of the capture that were too many to be compared; nil when all are.
  public let leftOut: WireTable.LeftOut?
  /// How the app seems to count requests, and responses.
  public private(set) var requestReadings: [BestReading] = []
  /// As `requestReadings`, for responses.
  public private(set) var responseReadings: [BestReading] = []

  /// Compares.
  ///
  /// - Parameters:
  ///   - log: The app's log.
  ///   - wire: The messages of the capture, by number.
  ///   - leftOut: Those that are not among them.
  ///   - tolerance: Nanoseconds by which a row's time may be off from its message's, after the clocks' offset.
  public init(
    _ log: AppLog, _ wire: [WireMessage], leftOut: WireTable.LeftOut? = nil, tolerance: Int64 = 5_000_000_000
  ) {
    self.leftOut = leftOut
    let matching = Matching(log.entries, wire, tolerance: tolerance)
    clockOffset = matching.offset

    var requests: [(entry: LogEntry, message: WireMessage)] = []
    var responses: [(entry: LogEntry, message: WireMessage)] = []
    for (index, entry) in log.entries.enumerated() {
      guard let message = matching.messages[index].map({ wire[$0] }) else { continue }
      if entry.kind == .request { requests.append((entry, message)) } else { responses.append((entry, message)) }
    }
    let requestReadings = LogReadings(requests)
    let responseReadings = LogReadings(responses)
    self.requestReadings = requestReadings.best
    self.responseReadings = responseReadings.best

    for (index, entry) in log.entries.enumerated() {
      if let message = matching.messages[index].map({ wire[$0] }) {
        rows.append((entry.kind == .request ? requestReadings : responseReadings).compare(entry, message))
      } else {
        rows.append(Self.unmatched(entry, mayBeLeftOut: mayBeLeftOut(entry, tolerance)))
      }
    }
    let redirects = Set(wire.filter(\.isRedirect).map(\.row.exchange))
    for (index, message) in wire.enumerated() where matching.entries[index] == nil {
      rows.append(Self.unmatched(message, isRedirect: redirects.contains(message.row.exchange)))
    }
  }

  /// Whether a row's message can be one that was left out: the row is from their time, as far as that can be told.
  private func mayBeLeftOut(_ entry: LogEntry, _ tolerance: Int64) -> Bool {
    guard let leftOut else { return false }
    guard let time = entry.time, let clockOffset else { return true }
    let (latest, overflows) = time.subtractingReportingOverflow(clockOffset - tolerance)
    return overflows || latest >= leftOut.firstTime
  }

  /// A row of the log without message.
  private static func unmatched(_ entry: LogEntry, mayBeLeftOut: Bool) -> VerifiedRow {
    var row = VerifiedRow(entry: entry)
    row.line.app = entry.lineLength
    row.header.app = entry.headerLength
    row.body.app = entry.bodyLength
    let parts = [entry.lineLength, entry.headerLength, entry.bodyLength].compactMap { $0 }
    let length = entry.length ?? parts.reduce(0, +)
    row.total = FigureComparison(app: length, wire: 0)
    let kind: Cause.Kind = entry.isFromCache ? .cache : mayBeLeftOut ? .leftOut : .missedByWire
    row.total.causes = [Cause(kind, length)].significant
    return row
  }

  /// A message without row in the log.
  private static func unmatched(_ message: WireMessage, isRedirect: Bool) -> VerifiedRow {
    let octets = message.row.octets
    var row = VerifiedRow(message: message)
    row.line.wire = octets.startLine
    row.header.wire = octets.header
    row.body.wire = octets.body
    row.total = FigureComparison(app: 0, wire: octets.total)
    let kind: Cause.Kind = message.row.kind == .interim ? .interim : isRedirect ? .redirect : .missedByApp
    row.total.causes = [Cause(kind, -octets.total)].significant
    return row
  }
}

extension WireMessage {
  /// Whether it redirects (RFC 9110 §15.4), so that the URL loading system goes on by itself.
  fileprivate var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(row.status) && fields.contains { $0.isNamed("location") }
  }
}
