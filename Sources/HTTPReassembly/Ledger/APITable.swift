/// Totals by API, kept up as messages become final.
struct APITable {
  private struct Name: Hashable {
    var host: TextID
    var path: TextID
    var method: TextID
  }

  private var positions: [Name: Int] = [:]
  /// Names that were asked for lately with their positions, which never change: most messages are of a few APIs.
  private var recent: [(name: Name, position: Int)] = Array(
    repeating: (Name(host: .none, path: .none, method: .none), -1), count: 1024)
  private(set) var totals: [APITotals] = []
  private let grouping: Configuration.Grouping
  private let templates: PathTemplates
  private let limit: Int
  private let textLimit: Int
  /// Octets of the names of all APIs, together.
  private var textLength = 0
  private let latencyLimit: Int
  /// Octets of memory that the distributions of wait phases take, together.
  private var latencyMemory = 0
  /// How well the distributions know what they know.
  private var latencyBits = LatencyDistribution.finestBits

  init(configuration: Configuration) {
    grouping = configuration.grouping
    templates = PathTemplates(configuration)
    limit = configuration.apiLimit
    textLimit = configuration.apiTextLimit
    latencyLimit = configuration.latencyOctetLimit
  }

  /// Octets of memory that the table takes, without the names, which lie with all texts. Totals count twice: a look at a run that goes on
  /// has a copy of them.
  var memory: Int {
    2 * totals.capacity * MemoryLayout<APITotals>.stride
      + positions.capacity * (MemoryLayout<(Name, Int)>.stride + MemoryLayout<Int>.stride) + latencyMemory
  }

  /// Adds a final message.
  @inline(__always)
  mutating func add(_ message: borrowing Message, texts: inout TextPool, anomalies: inout AnomalyLog) {
    let position = position(
      host: message.host, path: message.path, method: message.method, texts: &texts, anomalies: &anomalies)
    totals[position].add(message)
  }

  /// Adds the wait phase of a final exchange, in nanoseconds.
  mutating func add(
    _ wait: Int64, of exchange: borrowing Exchange, texts: inout TextPool, anomalies: inout AnomalyLog
  ) {
    let position = position(
      host: exchange.host, path: exchange.path, method: exchange.method, texts: &texts, anomalies: &anomalies)
    latencyMemory -= totals[position].wait.memory
    totals[position].wait.record(wait)
    latencyMemory += totals[position].wait.memory
    while latencyMemory > latencyLimit, latencyBits > 0 {
      anomalies.note(.latenciesCoarsened)
      coarsenLatencies()
    }
  }

  /// Halves what is known of the wait phases of every API.
  @inline(never)
  private mutating func coarsenLatencies() {
    latencyBits -= 1
    latencyMemory = 0
    for position in totals.indices {
      totals[position].wait.coarsen(to: latencyBits)
      latencyMemory += totals[position].wait.memory
    }
  }

  private mutating func position(
    host: TextID, path: TextID, method: TextID, texts: inout TextPool, anomalies: inout AnomalyLog
  ) -> Int {
    var name = Name(host: host, path: grouping.path ? path : .none, method: grouping.method ? method : .none)
    var template: TextID?
    if !templates.isIdentity, name.path != .none {
      let interned = texts.intern(templates.template(of: texts.octets(name.path)))
      template = interned
      name.path = interned
    }
    defer { if let template { texts.release(template) } }
    let mark = Int((name.host.index &* 31 &+ name.path.index) &* 31 &+ name.method.index) & (recent.count - 1)
    if recent[mark].position >= 0, recent[mark].name == name { return recent[mark].position }
    if let position = positions[name] {
      recent[mark] = (name, position)
      return position
    }
    if let full = limitReached(by: name, texts) {
      anomalies.note(full)
      name.path = .none
      name.method = .none
      if let position = positions[name] { return position }
      // Hosts may be without number, too: they have another eighth of the room.
      if limitReached(by: name, texts, sharing: 8) != nil {
        name.host = .none
        if let position = positions[name] { return position }
      }
    }
    textLength += length(name, texts)
    texts.retain(name.host)
    texts.retain(name.path)
    texts.retain(name.method)
    var new = APITotals()
    new.host = name.host
    new.path = name.path
    new.method = name.method
    new.wait = LatencyDistribution(bits: latencyBits)
    positions[name] = totals.count
    totals.append(new)
    return totals.count - 1
  }

  /// Which limit keeps one more API from totals of its own, if one does; both are raised by a `share`-th of themselves.
  private func limitReached(by name: Name, _ texts: borrowing TextPool, sharing share: Int? = nil) -> Anomaly? {
    // By differences, which cannot overflow however large a limit is.
    func excess(_ limit: Int) -> Int { share.map { limit / $0 } ?? 0 }
    if totals.count - limit >= excess(limit) { return .apiTableFull }
    return textLength + length(name, texts) - textLimit > excess(textLimit) ? .apiTextsFull : nil
  }

  private func length(_ name: Name, _ texts: borrowing TextPool) -> Int {
    texts.length(name.host) + texts.length(name.path) + texts.length(name.method)
  }

  /// The totals by host, path and method as octets.
  func sorted(texts: borrowing TextPool) -> [APITotals] { order(texts).map { totals[Int($0)] } }

  /// The same, and the table is empty then: they are sorted where they lie, for there can be very many.
  mutating func takeSorted(texts: borrowing TextPool) -> [APITotals] {
    positions = [:]
    recent = []
    var order = order(texts)
    var sorted: [APITotals] = []
    swap(&sorted, &totals)
    // Along each cycle of places, so that every one is moved once.
    for start in order.indices where order[start] >= 0 {
      var place = start
      while order[place] >= 0, Int(order[place]) != start {
        let from = Int(order[place])
        sorted.swapAt(place, from)
        order[place] = -1
        place = from
      }
      order[place] = -1
    }
    return sorted
  }

  /// The positions of the totals by host, path and method as octets.
  private func order(_ texts: borrowing TextPool) -> [Int32] {
    func isBefore(_ a: APITotals, _ b: APITotals, _ texts: borrowing TextPool) -> Bool {
      if a.host != b.host { return texts.octets(a.host).lexicographicallyPrecedes(texts.octets(b.host)) }
      if a.path != b.path { return texts.octets(a.path).lexicographicallyPrecedes(texts.octets(b.path)) }
      return a.method != b.method && texts.octets(a.method).lexicographicallyPrecedes(texts.octets(b.method))
    }
    var order = totals.indices.map { Int32($0) }
    order.sort { isBefore(totals[Int($0)], totals[Int($1)], texts) }
    return order
  }
}

extension APITotals {
  @inline(__always)
  fileprivate mutating func add(_ message: borrowing Message) {
    missing += message.missing
    if message.pairing == .inferred { inferred += message.octets.total }
    if message.flags.contains(.incomplete) { aborted += 1 }
    guard message.kind != .request else {
      requests += 1
      return request.add(message)
    }
    response.add(message)
    guard message.kind == .response else { return }
    responses += 1
    if message.status / 100 == 4 { status4xx += 1 }
    if message.status / 100 == 5 { status5xx += 1 }
  }
}

extension APIOctets {
  @inline(__always)
  fileprivate mutating func add(_ message: borrowing Message) {
    octets.startLine += message.octets.startLine
    octets.header += message.octets.header
    octets.body += message.octets.body
    octets.framing += message.octets.framing
    octets.trailer += message.octets.trailer
    decodedBody += message.decodedBody ?? 0
    retransmitted += message.retransmitted
    overhead += message.overhead
    tls += message.tls
    control += message.control
    if let length = message.expandedHeader {
      expandedHeader += length
      compressedHeader += message.octets.header
    }
  }
}
