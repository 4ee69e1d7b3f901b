import HTTPReassembly

/// The rows of a log about one exchange, as indices into the log's entries. A row that is joined with no other is an exchange of
/// its own.
struct LogExchange {
  /// The request's row; nil when the log has none.
  var request: Int?
  /// The final response's row; nil when the log has none.
  var response: Int?
  /// The interim responses' rows.
  var interims: [Int] = []
  /// Host and path.
  var key: MatchKey
  /// The query as logged, percent-encoding removed; nil when the log does not say.
  var query: String?
  /// Octets of the query without `?`, when the log has no more of it.
  var queryLength: Int?
  /// The method; empty when the log does not say.
  var method = ""
  /// The final response's status; 0 when the log does not say.
  var status = 0
  /// The host as logged.
  var host = "" { didSet { port = MatchKey.port(host) } }
  /// The port in it; nil without one.
  private(set) var port: Int?
  /// The logged time: the request's, else the response's.
  var time: Int64?
  /// The logged end of the exchange, or its latest known time.
  var end: Int64?
  /// Whether the log says that the response came from a cache.
  var isFromCache = false
  /// Whether request and response are known to belong together.
  var isJoined = false
  /// Whether that is known by the order of the rows' times alone.
  private(set) var isJoinedByOrder = false
  /// Whether the log says that the transfer failed, with no octet of it sent or received.
  private(set) var isNeverSent = false
  /// Whether the log says that nothing of it is on the wire.
  var isOffWire: Bool { isFromCache || isNeverSent }
  /// Whether the log says that it was answered.
  var isAnswered: Bool { response != nil && (status > 0 || hasAnswer) }
  /// Whether it has octets of a response.
  private var hasAnswer = false

  /// The index of its first row.
  var first: Int { request ?? response ?? interims.first ?? 0 }
  /// The indices of its rows.
  var rows: [Int] { [request, response].compactMap { $0 } + interims }

  fileprivate init(_ entry: LogEntry) { key = MatchKey(entry) }

  fileprivate mutating func add(_ entry: LogEntry, _ index: Int) {
    switch entry.kind {
    case .request: request = index
    case .response: response = index
    case .interim: interims.append(index)
    }
    if entry.kind == .request || host.isEmpty {
      host = entry.host
      key = MatchKey(entry)
      query = entry.query.map(MatchKey.decodedQuery)
      time = entry.time
    }
    if entry.kind == .request { queryLength = entry.queryLength }
    // In a chain of redirections the last request may have another method than the first.
    if entry.kind == .request || request == nil { method = entry.method }
    if entry.kind == .response {
      if entry.status > 0 { status = entry.status }
      hasAnswer = [entry.length, entry.lineLength, entry.headerLength, entry.bodyLength].contains { ($0 ?? 0) > 0 }
    }
    if entry.isFromCache { isFromCache = true }
    // A body of 0 octets alone says nothing: what is unknown is not 0.
    let hasNothing = entry.isAborted && entry.hasFigureBesideBody && entry.isZero
    isNeverSent = hasNothing && (rows.count == 1 || isNeverSent) && status == 0
    if time == nil { time = entry.time }
    if let last = entry.endTime ?? entry.time { end = max(end ?? last, last) }
  }

  /// The log's own times of an exchange whose rows are joined, if each may be off by `slack` nanoseconds; nil where it has none.
  func span(within slack: Int64) -> ExchangeSpan? {
    guard let time, let end, isJoined else { return nil }
    return ExchangeSpan(start: time.saturatingSubtract(slack), end: end)
  }

  private func takes(_ entry: LogEntry) -> Bool {
    switch entry.kind {
    case .request: request == nil
    case .response: response == nil
    case .interim: true
    }
  }

  /// The exchanges of a log, by their first rows. Times that are less than `slack` nanoseconds apart do not tell an order.
  static func all(_ entries: [LogEntry], _ wire: [WireExchange], slack: Int64 = 0) -> [LogExchange] {
    var exchanges: [LogExchange] = []
    var indices: [Int: Int] = [:]
    var single: [Int] = []
    for (index, entry) in entries.enumerated() {
      guard let number = entry.exchange else {
        single.append(index)
        continue
      }
      if let known = indices[number], exchanges[known].takes(entry) {
        exchanges[known].add(entry, index)
        continue
      }
      indices[number] = exchanges.count
      var exchange = LogExchange(entry)
      exchange.isJoined = true
      exchange.add(entry, index)
      exchanges.append(exchange)
    }
    exchanges += joined(single, entries, wire, slack)
    // In the log of a monitor that counts bodies alone, 0 says nothing.
    let countsAll = entries.allSatisfy { entry in
      entry.kind != .request || entry.isAborted || entry.isFromCache
        || [entry.length, entry.lineLength, entry.headerLength].contains { ($0 ?? 0) > 0 }
    }
    if !countsAll {
      for index in exchanges.indices { exchanges[index].isNeverSent = false }
    }
    return exchanges.sorted { $0.first < $1.first }
  }

  /// Joins rows of a log that does not say which belong together.
  ///
  /// Most monitors write both rows of an exchange when it ends. Where each request is followed by a response of its target, the
  /// two are joined. Else the messages of an API may alternate: request, response, request, response. They are joined if the wire
  /// has as many exchanges, and if times tell each response from the next request. All other rows stay alone.
  private static func joined(
    _ rows: [Int], _ entries: [LogEntry], _ wire: [WireExchange], _ slack: Int64
  ) -> [LogExchange] {
    guard !rows.isEmpty else { return [] }
    if let pairs = neighbours(rows, entries) { return pairs }
    // Rows with one time are in order only in a log that is.
    let timed = rows.compactMap { entries[$0].time }
    let steps = zip(timed, timed.dropFirst())
    let isInOrder = steps.count { $0 > $1 } * 10 <= timed.count
    var counts: [MatchKey: Int] = [:]
    for exchange in wire where exchange.request != nil && exchange.response != nil {
      counts[exchange.key, default: 0] += 1
    }
    var groups: [MatchKey: [Int]] = [:]
    for row in rows { groups[MatchKey(entries[row]), default: []].append(row) }
    var exchanges: [LogExchange] = []
    for (key, group) in groups {
      let ordered = group.sorted { a, b in
        if let first = entries[a].time, let second = entries[b].time, first != second { return first < second }
        return a < b
      }
      let alternates =
        ordered.count == 2 * (counts[key] ?? 0)
        && ordered.indices.allSatisfy { position in
          let (before, row) = (entries[ordered[max(position - 1, 0)]], entries[ordered[position]])
          if position % 2 == 1 { return areOne(before, row) && (isInOrder || before.time != row.time) }
          guard row.kind == .request, position > 0 else { return row.kind == .request }
          guard let ended = before.time, let began = row.time else { return true }
          return began.saturatingSubtract(ended) > slack || slack == 0 && isInOrder
        }
      for (position, row) in ordered.enumerated() {
        if alternates, position % 2 == 1 {
          exchanges[exchanges.count - 1].add(entries[row], row)
          continue
        }
        var exchange = LogExchange(entries[row])
        (exchange.isJoined, exchange.isJoinedByOrder) = (alternates, alternates)
        exchange.add(entries[row], row)
        exchanges.append(exchange)
      }
    }
    return exchanges
  }

  /// Whether two rows may be request and response of one exchange.
  private static func areOne(_ request: LogEntry, _ response: LogEntry) -> Bool {
    request.kind == .request && response.kind == .response && MatchKey(request) == MatchKey(response)
      && (request.method.isEmpty || response.method.isEmpty || request.method == response.method)
      && (request.query == nil || response.query == nil || request.query == response.query)
  }

  /// Joins each request with the response in the next row; nil where the log is not written so.
  private static func neighbours(_ rows: [Int], _ entries: [LogEntry]) -> [LogExchange]? {
    let requests = rows.count { entries[$0].kind == .request }
    let responses = rows.count { entries[$0].kind == .response }
    let next = zip(rows, rows.dropFirst())
    let together = next.count { areOne(entries[$0], entries[$1]) }
    guard together >= leastPairs, together * 5 >= min(requests, responses) * 4 else { return nil }
    var exchanges: [LogExchange] = []
    // Where rows are in the order of messages, a response may belong to an earlier request that is still open.
    var open: [MatchKey: Int] = [:]
    var position = 0
    while position < rows.count {
      let row = rows[position]
      var exchange = LogExchange(entries[row])
      exchange.add(entries[row], row)
      // Two equal rows in succession are one row written twice.
      let isTwice =
        position + 1 < rows.count && entries[row].said != nil && entries[row].said == entries[rows[position + 1]].said
      let isAlone = open[exchange.key].map { position - $0 > openRows } ?? true
      if position + 1 < rows.count, isAlone, areOne(entries[row], entries[rows[position + 1]]) {
        exchange.isJoined = true
        exchange.add(entries[rows[position + 1]], rows[position + 1])
        position += 1
      } else if !isTwice {
        open[exchange.key] = entries[row].kind == .request ? position : nil
      }
      exchanges.append(exchange)
      position += 1
    }
    return exchanges
  }

  /// The number of pairs that makes it likely that the log is written in pairs.
  private static let leastPairs = 5
  /// The number of rows after which a request without a response counts as lost.
  private static let openRows = 40
}
