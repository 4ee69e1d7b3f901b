/// The exchanges of a log and of the wire that may be the same, grouped by the facts that both sides know.
struct KeyedGroups {
  /// Exchanges with one key, as indices: the log's in its order, the wire's by time.
  struct Group {
    var rows: [Int] = []
    var exchanges: [Int] = []
  }

  /// Groups by the whole target, for rows whose log has the text of the query.
  private(set) var exact: [Group]
  /// Groups by host and path, for the other rows. They include rows whose query has no exchange because the wire lacks its
  /// request-line.
  private(set) var loose: [Group]

  /// Both kinds of groups, and whether each is in `exact`.
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
      // The mark keeps the empty query apart from a query that is not compared.
      whole.query = "?" + query
      exact[whole, default: Group()].rows.append(index)
      // The exchange's request may not be captured, or only in part.
      loose[plain, default: Group()].rows.append(index)
    }
    let templates = LoggedTemplates(rows, besides: exchanges)
    for (index, exchange) in exchanges.enumerated() {
      let own = key(exchange.key, exchange.method)
      let plain = loose[own] == nil ? key(templates.key(exchange.key), exchange.method) : own
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
