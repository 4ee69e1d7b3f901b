import HTTPReassembly

/// Finds the exchange that a client sends by itself after another one. It is the target of a redirection (RFC 9110 §15.4), or the
/// same request again with credentials (§15.5.2, §15.5.8).
struct RequestChains {
  private let exchanges: [WireExchange]
  private let wire: [WireMessage]
  private let byKey: [MatchKey: [Int]]
  /// The exchange that follows from each, as indices; each follows from at most one.
  private let next: [Int?]
  /// The exchange that each follows from.
  private let previous: [Int: Int]

  /// The largest number of hops that are followed: at least as many as clients follow.
  static let limit = 20
  /// The number of exchanges that are examined when several may follow.
  static let alternativeLimit = 8
  /// The largest time in nanoseconds from a response to the request that follows from it.
  private static let reach: Int64 = 10_000_000_000
  /// The same where two chains may have exchanged their hops.
  private static let sharedReach: Int64 = 1_000_000_000

  /// The chains among all exchanges, which are ordered by time.
  init(_ exchanges: [WireExchange], _ wire: [WireMessage]) {
    self.exchanges = exchanges
    self.wire = wire
    var byKey: [MatchKey: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated() { byKey[exchange.key, default: []].append(index) }
    self.byKey = byKey
    let starts = exchanges.indices.filter { Self.goesOn(exchanges[$0].status) && exchanges[$0].response != nil }
    var next: [Int?] = Array(repeating: nil, count: exchanges.count)
    var taken: Set<Int> = []
    var successor: [Int?] = Array(repeating: nil, count: exchanges.count)
    var newest: [Int: Int] = [:]
    for index in exchanges.indices.reversed() {
      guard let message = exchanges[index].request ?? exchanges[index].response else { continue }
      successor[index] = newest.updateValue(index, forKey: wire[message].row.connection)
    }
    // A client that keeps its connection continues there. Exchanges on other connections are tried only for the rest.
    for isSameConnection in [true, false] {
      for index in starts where next[index] == nil {
        let found = Self.next(exchanges[index], exchanges, byKey, wire) { other in
          !taken.contains(other) && (!isSameConnection || successor[index] == other)
        }
        guard let found else { continue }
        next[index] = found
        taken.insert(found)
      }
    }
    self.next = next
    previous = Dictionary(
      next.enumerated().compactMap { index, next in next.map { ($0, index) } }, uniquingKeysWith: { first, _ in first })
  }

  /// The exchanges that follow from the one at an index, in order, without it.
  func hops(after index: Int) -> [WireExchange] { indices(after: index).map { exchanges[$0] } }

  /// The same as indices.
  func indices(after index: Int) -> [Int] {
    var hops: [Int] = []
    while hops.count < Self.limit, let following = next[hops.last ?? index] { hops.append(following) }
    return hops
  }

  /// Other exchanges that may follow from the one at an index as well as its hop. Over HTTP/2 they share its connection, and
  /// several redirections at once may go to one target.
  func alternatives(after index: Int) -> [WireExchange] {
    guard next[index] != nil else { return [] }
    var found: Set<Int> = []
    while found.count < Self.alternativeLimit,
      let other = Self.next(exchanges[index], exchanges, byKey, wire, isFree: { !found.contains($0) })
    {
      found.insert(other)
    }
    return found.sorted().map { exchanges[$0] }
  }

  /// Whether another chain may go on where the chain from an index does, and the other way round: parallel redirections to one target.
  func isShared(after index: Int) -> Bool {
    var before = index
    while let following = next[before] {
      let isShared = (byKey[exchanges[following].key] ?? []).contains { other in
        guard other != following, let rival = previous[other], rival != before else { return false }
        return follows(other, before) && follows(following, rival)
      }
      if isShared { return true }
      before = following
    }
    return false
  }

  /// Whether an exchange begins after the answer of another one, and soon.
  private func follows(_ index: Int, _ earlier: Int) -> Bool {
    guard let response = exchanges[earlier].response else { return false }
    let wait = exchanges[index].start.saturatingSubtract(wire[response].row.firstTime)
    return wait >= 0 && wait <= Self.sharedReach
  }

  private static func goesOn(_ status: Int) -> Bool { [301, 302, 303, 307, 308, 401, 407].contains(status) }

  private static func next(
    _ exchange: WireExchange, _ exchanges: [WireExchange], _ byKey: [MatchKey: [Int]], _ wire: [WireMessage],
    isFree: (Int) -> Bool
  ) -> Int? {
    guard let index = exchange.response else { return nil }
    let response = wire[index]
    var key = exchange.key
    var query = exchange.query
    if exchange.status < 400 {
      guard let location = response.values(of: "location").first,
        let target = Self.resolve(String(decoding: location, as: UTF8.self), key)
      else { return nil }
      (key, query) = target
    }
    let candidates = byKey[key] ?? []
    let start = candidates.partitioningIndex { exchanges[$0].start >= response.row.firstTime }
    for candidate in candidates[start...] {
      let other = exchanges[candidate]
      guard other.start.saturatingSubtract(response.row.lastTime) <= reach else { return nil }
      guard let request = other.request, query == nil || other.query == nil || query == other.query,
        wire[request].row.client.address == response.row.client.address, isFree(candidate)
      else { continue }
      return candidate
    }
    return nil
  }

  /// Resolves a reference (RFC 3986 §5.2) to host, path and query, in the forms of real servers' redirections.
  private static func resolve(_ text: String, _ base: MatchKey) -> (MatchKey, String?)? {
    let reference = text.prefix { $0 != "#" }
    if let url = LogURL(String(reference)), !url.host.isEmpty {
      return (MatchKey(host: url.host, path: url.path), query(reference))
    }
    if reference.hasPrefix("//"), let url = LogURL("http:" + reference) {
      return (MatchKey(host: url.host, path: url.path), query(reference))
    }
    let path = String(reference.prefix { $0 != "?" })
    if path.hasPrefix("/") { return (MatchKey(host: base.host, path: path), query(reference)) }
    guard !path.isEmpty else { return (base, query(reference)) }
    let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
    return (MatchKey(host: base.host, path: folder + path), query(reference))
  }

  private static func query(_ reference: Substring) -> String {
    reference.firstIndex(of: "?").map { MatchKey.decodedQuery(String(reference[reference.index(after: $0)...])) } ?? ""
  }
}
