import HTTPReassembly

/// Which row of a log is which message on the wire: by kind, host and path, then nearest in time, each at most once.
struct Matching {
  /// Index of the message for each entry; nil when there is none.
  private(set) var messages: [Int?]
  /// Index of the entry for each message; nil when there is none.
  private(set) var entries: [Int?]
  /// The log's clock minus the capture's, nanoseconds; nil when the log has no times or shares no key with the wire.
  private(set) var offset: Int64?

  /// Messages that are compared with one entry: those next to it in time.
  private static let neighbours = 64

  /// Matches; `tolerance` is the time, in nanoseconds, by which a row may be off after the clocks' offset.
  init(_ log: [LogEntry], _ wire: [WireMessage], tolerance: Int64) {
    messages = Array(repeating: nil, count: log.count)
    entries = Array(repeating: nil, count: wire.count)
    var groups: [MatchKey: (entries: [Int], messages: [Int])] = [:]
    for (index, message) in wire.enumerated() { groups[MatchKey(message), default: ([], [])].messages.append(index) }
    for (index, entry) in log.enumerated() { groups[MatchKey(entry)]?.entries.append(index) }
    let shared = groups.values.filter { !$0.entries.isEmpty }
    offset = ClockOffset.estimate(
      shared.map { group in
        (group.entries.compactMap { log[$0].time }, group.messages.map { Self.span(wire[$0]) })
      })
    for group in shared { match(group.entries, group.messages, log, wire, tolerance) }
  }

  private static func span(_ message: WireMessage) -> Range<Int64> {
    message.row.firstTime..<max(message.row.lastTime, message.row.firstTime)
  }

  private struct Pair {
    var entry: Int
    var message: Int
    var disagreements: Int
    var distance: Int64
  }

  private mutating func match(
    _ rows: [Int], _ candidates: [Int], _ log: [LogEntry], _ wire: [WireMessage], _ tolerance: Int64
  ) {
    let candidates = candidates.sorted { (wire[$0].row.firstTime, $0) < (wire[$1].row.firstTime, $1) }
    var pairs: [Pair] = []
    for (ordinal, row) in rows.enumerated() {
      let time = log[row].time.map { $0 - (offset ?? 0) }
      // Without a time a row is as likely early as late: rows are taken in their order.
      let middle =
        time.map { time in candidates.partitioningIndex { wire[$0].row.firstTime >= time } } ?? ordinal
      let near = max(middle - Self.neighbours, 0)..<min(middle + Self.neighbours, candidates.count)
      for place in near {
        let message = wire[candidates[place]]
        guard Self.isSameServer(log[row], message) else { continue }
        let distance = time.map { Self.distance($0, message) } ?? Int64(abs(place - ordinal))
        guard time == nil || distance <= tolerance else { continue }
        pairs.append(
          Pair(
            entry: row, message: candidates[place], disagreements: Self.disagreements(log[row], message),
            distance: distance))
      }
    }
    pairs.sort {
      ($0.disagreements, $0.distance, $0.entry, $0.message) < ($1.disagreements, $1.distance, $1.entry, $1.message)
    }
    for pair in pairs where messages[pair.entry] == nil && entries[pair.message] == nil {
      messages[pair.entry] = pair.message
      entries[pair.message] = pair.entry
    }
  }

  /// From the nearest moment of the message to `time`.
  private static func distance(_ time: Int64, _ message: WireMessage) -> Int64 {
    if time < message.row.firstTime { return message.row.firstTime - time }
    return max(time - message.row.lastTime, 0)
  }

  /// Whether the port that the log names, if it names one, is the message's: that of its host, else the default one or
  /// the server's.
  private static func isSameServer(_ entry: LogEntry, _ message: WireMessage) -> Bool {
    guard let port = MatchKey.port(entry.host) else { return true }
    if let named = MatchKey.port(message.host) { return port == named }
    return port == (message.row.isSecure ? 443 : 80) || port == Int(message.row.server.port)
  }

  /// What the log says of the message beside its key that the wire does not confirm.
  private static func disagreements(_ entry: LogEntry, _ message: WireMessage) -> Int {
    var count = 0
    if !entry.method.isEmpty, !message.method.isEmpty, entry.method != message.method { count += 1 }
    if entry.status > 0, message.row.status > 0, entry.status != message.row.status { count += 1 }
    if let query = entry.queryLength, entry.kind == .request, query != message.row.queryLength ?? 0 { count += 1 }
    return count
  }
}

extension Array {
  /// The first index whose element and all after it satisfy `predicate`, which holds for none before it.
  fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
