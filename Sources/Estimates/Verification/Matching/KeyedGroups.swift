/// The exchanges of a log and of the wire that can be the same, by what both sides know of them.
struct KeyedGroups {
  /// Exchanges with one key, as indices: the log's in its order, the wire's by time.
  struct Group {
    var rows: [Int] = []
    var exchanges: [Int] = []
  }

  /// By the whole target: rows whose log has the text of the query.
  private(set) var exact: [Group]
  /// By host and path: the other rows, and those that no exchange with their query was found for because the wire does not show
  /// its request-line.
  private(set) var loose: [Group]

  /// Both, and whether the group is one of `exact`.
  var all: [(isExact: Bool, group: Group)] { exact.map { (true, $0) } + loose.map { (false, $0) } }

  init(_ rows: [LogExchange], _ exchanges: [WireExchange], usesMethod: Bool) {
    func key(_ plain: MatchKey, _ method: String) -> MatchKey {
      var key = plain
      if usesMethod { key.method = method }
      return key
    }
    var exact: [MatchKey: Group] = [:]
    var loose: [MatchKey: Group] = [:]
    for (index, row) in rows.enumerated() {
      let plain = key(row.key, row.method)
      guard let query = row.query else {
        loose[plain, default: Group()].rows.append(index)
        continue
      }
      var whole = plain
      // A mark keeps the empty query apart from one that is not compared.
      whole.query = "?" + query
      exact[whole, default: Group()].rows.append(index)
      // It may be an exchange whose request was not captured, or only in part.
      loose[plain, default: Group()].rows.append(index)
    }
    for (index, exchange) in exchanges.enumerated() {
      let plain = key(exchange.key, exchange.method)
      loose[plain]?.exchanges.append(index)
      guard let query = exchange.query else { continue }
      var whole = plain
      whole.query = "?" + query
      exact[whole]?.exchanges.append(index)
    }
    func shared(_ groups: [MatchKey: Group]) -> [Group] {
      groups.values.filter { !$0.exchanges.isEmpty && !$0.rows.isEmpty }.sorted { $0.rows[0] < $1.rows[0] }
    }
    self.exact = shared(exact)
    self.loose = shared(loose)
  }
}
