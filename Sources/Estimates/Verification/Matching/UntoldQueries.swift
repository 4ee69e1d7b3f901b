extension AppLog {
  /// The log's rows, with unknown queries where the log drops them.
  ///
  /// A whole URL without a query says that its message has none. It says nothing where no row of the log has a query, and where the
  /// wire has the targets of several rows only with one: monitors leave queries out, because these may have secrets.
  func withoutUntoldQueries(_ exchanges: [WireExchange]) -> [LogEntry] {
    if entries.contains(where: \.masksQuery) { return withoutMaskedQueries(exchanges) }
    guard entries.contains(where: { $0.query != nil }),
      entries.allSatisfy({ ($0.query ?? "").isEmpty && ($0.queryLength ?? 0) == 0 })
    else { return entries }
    var plain: Set<MatchKey> = []
    var queried: Set<MatchKey> = []
    for exchange in exchanges {
      if exchange.query?.isEmpty ?? true { plain.insert(exchange.key) } else { queried.insert(exchange.key) }
    }
    queried.subtract(plain)
    let dropped = queried.isEmpty ? 0 : entries.count { queried.contains(MatchKey($0)) }
    guard dropped >= Self.leastDropped || dropped > 0 && dropped * 2 >= entries.count else { return entries }
    return entries.map { entry in
      var entry = entry
      entry.query = nil
      return entry
    }
  }

  /// The log's rows, with unknown queries where a placeholder stands for a value, unless the wire has that very query.
  private func withoutMaskedQueries(_ exchanges: [WireExchange]) -> [LogEntry] {
    var sent: [MatchKey: Set<String>] = [:]
    for exchange in exchanges { sent[exchange.key, default: []].insert(exchange.query ?? "") }
    return entries.map { entry in
      guard entry.masksQuery, let known = sent[MatchKey(entry)], let query = entry.query,
        !known.contains(MatchKey.decodedQuery(query))
      else { return entry }
      var entry = entry
      (entry.query, entry.queryLength) = (nil, nil)
      return entry
    }
  }

  /// The number of rows that shows that queries are dropped.
  private static var leastDropped: Int { 5 }
}

extension LogEntry {
  /// Whether a placeholder stands for a value in the query, as in `token=***` and `key=REDACTED`.
  fileprivate var masksQuery: Bool {
    guard let query, query.utf8.contains(UInt8(ascii: "=")) else { return false }
    return query.split(separator: "&").contains { pair in
      guard let mark = pair.firstIndex(of: "=") else { return false }
      return Self.isPlaceholder(MatchKey.decoded(String(pair[pair.index(after: mark)...])))
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
