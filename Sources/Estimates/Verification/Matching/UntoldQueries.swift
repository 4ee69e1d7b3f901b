import HTTPReassembly

extension AppLog {
  /// The log's rows, with unknown queries where the log drops or changes them.
  ///
  /// A whole URL without a query says that its message has none. It says nothing where no row of the log has a query, and where
  /// several rows need messages with one: monitors leave queries out, because these may have secrets. A query that the wire does not
  /// have is another message's, unless it has a placeholder, or most queries of the log are so: monitors sort, hash and encode them.
  func withoutUntoldQueries(_ exchanges: [WireExchange]) -> [LogEntry] {
    var sent: [MatchKey: [String: Int]] = [:]
    for exchange in exchanges { sent[exchange.key, default: [:]][exchange.query ?? "", default: 0] += 1 }
    let hasQueries = entries.contains { !($0.query ?? "").isEmpty || ($0.queryLength ?? 0) > 0 }
    return hasQueries ? withoutChangedQueries(sent) : withoutDroppedQueries(sent)
  }

  /// The same for a log without any query: those rows count that have no message of their path without a query, but one with it.
  private func withoutDroppedQueries(_ sent: [MatchKey: [String: Int]]) -> [LogEntry] {
    guard entries.contains(where: { $0.query != nil }) else { return entries }
    struct Target: Hashable {
      var key: MatchKey
      var kind: MessageKind
    }
    var logged: [Target: Int] = [:]
    for entry in entries { logged[Target(key: MatchKey(entry), kind: entry.kind), default: 0] += 1 }
    let dropped = logged.reduce(0) { sum, rows in
      guard let known = sent[rows.key.key] else { return sum }
      let plain = known[""] ?? 0
      return sum + min(max(rows.value - plain, 0), plain == 0 ? .max : known.values.reduce(0, +) - plain)
    }
    guard dropped >= Self.leastUntold || dropped > 0 && dropped * 2 >= entries.count else { return entries }
    return entries.map { entry in
      var entry = entry
      entry.query = nil
      return entry
    }
  }

  /// The same for a log with queries: those that the wire has nowhere at their host and path.
  private func withoutChangedQueries(_ sent: [MatchKey: [String: Int]]) -> [LogEntry] {
    var (queries, changed) = (0, [Int]())
    for (index, entry) in entries.enumerated() {
      guard let query = entry.query, !query.isEmpty, let known = sent[MatchKey(entry)] else { continue }
      queries += 1
      if known[MatchKey.decodedQuery(query)] == nil { changed.append(index) }
    }
    let areMost = changed.count >= Self.leastUntold && changed.count * 2 >= queries
    var entries = entries
    for index in changed where areMost || entries[index].masksQuery {
      (entries[index].query, entries[index].queryLength) = (nil, nil)
    }
    return entries
  }

  /// The number of rows that shows that queries are dropped or changed.
  private static var leastUntold: Int { 5 }
}

extension LogEntry {
  /// Whether a placeholder stands for the query or for a value in it, as in `token=***` and `key=REDACTED`.
  fileprivate var masksQuery: Bool {
    (query ?? "").split(separator: "&").contains { pair in
      let value = pair.firstIndex(of: "=").map { pair[pair.index(after: $0)...] } ?? pair
      return Self.isPlaceholder(MatchKey.decoded(String(value)))
    }
  }

  private static func isPlaceholder(_ value: String) -> Bool {
    let words = value.lowercased().filter { $0.isLetter }
    let isBracketed =
      !(value.first?.isLetter ?? true) && value.allSatisfy { $0.isLetter || " <>[]{}()".contains($0) }
    if words == "redacted" || isBracketed && placeholders.contains(where: { words.contains($0) }) { return true }
    guard let first = value.first, value.allSatisfy({ $0 == first }) else { return false }
    return first == "*" || first == "•" || value.count >= 3 && (first == "x" || first == "X" || first == ".")
  }

  private static let placeholders = ["redacted", "filtered", "masked", "hidden", "removed"]
}
