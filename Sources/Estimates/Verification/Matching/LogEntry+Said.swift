import HTTPReassembly

extension LogEntry {
  /// A row's statements about its message, without its own position.
  struct Said: Hashable {
    var kind: MessageKind
    var host: String
    var path: String
    var query: String?
    var method: String
    var status: Int
    /// A try that failed is another one than its repetition.
    var isAborted: Bool
    var figures: [Int?]
    var time: Int64
    var endTime: Int64?
  }

  /// The row's statements; nil without a time, because equal rows are then ordinary.
  var said: Said? {
    time.map {
      Said(
        kind: kind, host: host, path: path, query: query, method: method, status: status, isAborted: isAborted,
        figures: [length, lineLength, headerLength, bodyLength, decodedLength, queryLength], time: $0,
        endTime: endTime)
    }
  }

  /// The same without times.
  var saidAtAnyTime: Said? {
    guard var said else { return nil }
    (said.time, said.endTime) = (0, nil)
    return said
  }

  /// Whether two rows say the same at nearly the same time: closer than an app makes and logs two requests in a row.
  func saysTheSame(as other: LogEntry) -> Bool {
    // Most rows differ in a number, which is compared faster than a text.
    guard length == other.length, headerLength == other.headerLength, bodyLength == other.bodyLength, hasFigure,
      distance(to: other) <= 1_000_000_000, let own = saidAtAnyTime, let others = other.saidAtAnyTime
    else { return false }
    return own == others
  }

  /// Nanoseconds between the times of two rows; the largest number where one has none.
  func distance(to other: LogEntry) -> UInt64 {
    guard let time, let otherTime = other.time else { return .max }
    return time.saturatingSubtract(otherTime).magnitude
  }
}

extension LogExchange {
  /// Exchanges of the log whose rows repeat earlier rows to the letter, by their first rows.
  static func twins(among rows: [LogExchange], _ log: [LogEntry]) -> Set<Int> {
    var seen: Set<LogEntry.Said> = []
    var twins: Set<Int> = []
    for row in rows {
      let said = row.rows.compactMap { log[$0].said }
      guard !said.isEmpty else { continue }
      if said.count == row.rows.count, said.allSatisfy(seen.contains) { twins.insert(row.first) }
      seen.formUnion(said)
    }
    return twins
  }
}
