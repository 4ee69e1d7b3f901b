extension AppLog {
  /// The log's rows, with unknown queries where the log drops them.
  ///
  /// A whole URL without a query says that its message has none. It says nothing where no row of the log has a query, and where the
  /// wire has the targets of several rows only with one: monitors leave queries out, because these may have secrets.
  func withoutUntoldQueries(_ exchanges: [WireExchange]) -> [LogEntry] {
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

  /// The number of rows that shows that queries are dropped.
  private static var leastDropped: Int { 5 }
}
