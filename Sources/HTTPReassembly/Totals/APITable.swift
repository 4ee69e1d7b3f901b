/// The totals of one API: a host and path, and a method if totals are grouped by it. All lengths are octets.
public struct APITotals: Sendable {
  /// The host; `TextID.none` for responses whose request was not captured.
  public var host = TextID.none
  /// The path.
  public var path = TextID.none
  /// The method, if totals are grouped by it.
  public var method = TextID.none
  /// The name of the process, if totals are grouped by it; `TextID.none` if unknown.
  public var process = TextID.none
  /// The number of requests seen.
  public var requests = 0
  /// The number of final responses seen.
  public var responses = 0
  /// Octets of the requests.
  public var request = APIOctets()
  /// Octets of the responses, interim ones included.
  public var response = APIOctets()
  /// Octets of requests and responses that were not captured.
  public var missing = 0
  /// Octets of messages that most likely, but not certainly, belong to the API (`Pairing.inferred`).
  public var inferred = 0
  /// The number of messages that ended early, as far as captured.
  public var aborted = 0
  /// The number of final responses with a 4xx status.
  public var status4xx = 0
  /// The number of final responses with a 5xx status.
  public var status5xx = 0
  /// The wait phases of the exchanges.
  public var wait = LatencyDistribution()

  /// Creates totals of no messages.
  public init() {}

  /// `ip_bytes` of requests and responses.
  public var ipLength: Int { request.ipLength + response.ipLength }

  /// Octets of header sections that field compression saves, for messages where both lengths are known.
  public var savedByCompression: Int { request.savedByCompression + response.savedByCompression }

  /// Adds the figures of other totals. Names do not change.
  package mutating func add(_ other: APITotals) {
    requests += other.requests
    responses += other.responses
    request += other.request
    response += other.response
    missing += other.missing
    inferred += other.inferred
    aborted += other.aborted
    status4xx += other.status4xx
    status5xx += other.status5xx
    wait.merge(other.wait)
  }
}

/// The octets of one direction of an API.
public struct APIOctets: Sendable, Equatable {
  /// Octets of messages by kind.
  public var octets = MessageOctets()
  /// Octets of content without codings, for messages where this is known.
  public var decodedBody = 0
  /// Octets of payload that were sent again.
  public var retransmitted = 0
  /// Octets of network and transport headers.
  public var overhead = 0
  /// Octets of TLS records without the messages' octets.
  public var tls = 0
  /// Octets in tunnels that the messages opened, without those of CONNECT.
  public var tunnel = 0
  /// Octets of HTTP/2 frames that carry neither fields nor content.
  public var control = 0
  /// Octets of header sections in the spelling of HTTP/1.1, for messages where this is known.
  public var expandedHeader = 0
  /// Octets of the same header sections on the wire.
  public var compressedHeader = 0

  /// Creates counts of zero.
  public init() {}

  /// Octets of header sections that field compression saves, for messages where both lengths are known.
  public var savedByCompression: Int { expandedHeader - compressedHeader }

  /// `ip_bytes`: message, tunnel, TLS, control, retransmitted and overhead octets.
  public var ipLength: Int { octets.total + tunnel + tls + control + retransmitted + overhead }

  /// Adds other counts, each to its own.
  static func += (sum: inout APIOctets, other: APIOctets) {
    sum.octets += other.octets
    sum.decodedBody += other.decodedBody
    sum.retransmitted += other.retransmitted
    sum.overhead += other.overhead
    sum.tls += other.tls
    sum.tunnel += other.tunnel
    sum.control += other.control
    sum.expandedHeader += other.expandedHeader
    sum.compressedHeader += other.compressedHeader
  }
}

extension APITotals {
  /// Replaces each text that is part of the API's name.
  package mutating func changeTexts(_ change: (TextID) -> TextID) {
    host = change(host)
    path = change(path)
    method = change(method)
    process = change(process)
  }
}

/// Totals by API, kept up as messages become final.
package struct APITable {
  private struct Name: Hashable {
    var host: TextID
    var path: TextID
    var method: TextID
    var process: TextID
  }

  /// An API that messages were counted at, and the limit that keeps them from one of their own.
  private struct Templated {
    var position: Int
    var full: Anomaly?
  }

  /// Entries of `templated`: several for each of the longest paths that can be open at once.
  private static let templatedLimit = 1 << 14

  private var positions: [Name: Int] = [:]
  /// Recent names with their positions, which never change: most messages belong to a few APIs.
  private var recent: [(name: Name, position: Int)] = Array(
    repeating: (Name(host: .none, path: .none, method: .none, process: .none), -1), count: 1024)
  /// APIs with the templates of recent paths, by `TextPool.serial` of host and path, or of all four texts where there was no room.
  /// Positions and these numbers stay what they are. To make the template of a long path takes as long as thousands of the responses that
  /// repeat it.
  private var templated: [SIMD4<Int>: Templated] = [:]
  private(set) var totals = BlockArray<APITotals>()
  private let grouping: Configuration.Grouping
  private let templates: PathTemplates
  private(set) var segments: SegmentGuard
  private var limit: Int
  private let textLimit: Int
  /// Octets of the names of all APIs together.
  private var textLength = 0
  private let latencyLimit: Int
  /// How many times totals are in memory.
  private let copies: Int
  /// Octets of memory of all distributions of wait phases.
  private var latencyMemory = 0
  /// The precision of the distributions.
  private var latencyBits = LatencyDistribution.finestBits

  /// A table without APIs, grouped as a configuration asks for.
  package init(configuration: Configuration) {
    grouping = configuration.grouping
    templates = PathTemplates(configuration)
    segments = SegmentGuard(configuration)
    limit = configuration.apiLimit
    textLimit = configuration.apiTextLimit
    latencyLimit = configuration.latencyOctetLimit
    copies = configuration.isLookedAt ? 2 : 1
  }

  /// Octets of memory that the table takes, without the names, which are in the pool of texts. Totals count twice if they are read during
  /// the run: a reader has a copy.
  var memory: Int {
    copies * totals.count * MemoryLayout<APITotals>.stride
      + positions.capacity * (MemoryLayout<(Name, Int)>.stride + MemoryLayout<Int>.stride) + latencyMemory
      + segments.memory + templated.capacity * MemoryLayout<(SIMD4<Int>, Templated)>.stride
  }

  /// Ends the growth of the table: new APIs have no row of their own, as beyond the limit.
  mutating func close() { limit = min(limit, totals.count) }

  /// Adds a final message. Returns its API's position, which never changes.
  @inline(__always)
  @discardableResult
  package mutating func add(_ message: borrowing Message, texts: inout TextPool, anomalies: inout AnomalyLog) -> Int {
    let position = position(
      host: message.host, path: message.path, method: message.method, process: message.process, texts: &texts,
      anomalies: &anomalies)
    totals[position].add(message)
    return position
  }

  /// The path of the API at a position. The table retains its text.
  @inline(__always)
  func path(at position: Int) -> TextID { totals[position].path }

  /// Adds the wait phase of a final exchange, if it has one. Returns the path of its API, whose text the table holds on to.
  package mutating func add(
    _ exchange: borrowing Exchange, texts: inout TextPool, anomalies: inout AnomalyLog
  ) -> TextID {
    let position = position(
      host: exchange.host, path: exchange.path, method: exchange.method, process: exchange.process, texts: &texts,
      anomalies: &anomalies)
    if let wait = exchange.timings.wait { record(wait, at: position, &anomalies) }
    return totals[position].path
  }

  /// Records a wait phase, in nanoseconds.
  private mutating func record(_ wait: Int64, at position: Int, _ anomalies: inout AnomalyLog) {
    latencyMemory += totals[position].record(wait)
    while latencyMemory > latencyLimit, latencyBits > 0 {
      anomalies.note(.latenciesCoarsened)
      coarsenLatencies()
    }
  }

  /// Halves the precision of the wait phases of every API.
  @inline(never)
  private mutating func coarsenLatencies() {
    latencyBits -= 1
    latencyMemory = 0
    for position in totals.indices {
      totals[position].wait.coarsen(to: latencyBits)
      latencyMemory += totals[position].wait.memory
    }
  }

  /// The path of the API that will count a message that is not final yet, with one reference more. `segments` is a copy of the table's.
  func path(of message: borrowing Message, _ segments: inout SegmentGuard, _ texts: inout TextPool) -> TextID {
    guard !keepsPaths, message.path != .none else { return .none }
    return texts.intern(
      templates.template(of: texts.octets(message.path), host: texts.octets(message.host), &segments))
  }

  /// The path of the API that will count a message, without templates. The text is not retained.
  func path(of message: borrowing Message) -> TextID { grouping.path ? message.path : .none }

  /// Whether each path has an API of its own, as long as there is room.
  var keepsPaths: Bool { templates.isIdentity || !grouping.path }

  private mutating func position(
    host: TextID, path: TextID, method: TextID, process: TextID, texts: inout TextPool, anomalies: inout AnomalyLog
  ) -> Int {
    if keepsPaths || path == .none {
      let path = grouping.path ? path : .none
      return noting(find(host: host, path: path, method: method, process: process, texts: &texts), &anomalies)
    }
    let shared = SIMD4(texts.serial(host), texts.serial(path), -1, -1)
    if let known = templated[shared] {
      let path = totals[known.position].path
      return noting(find(host: host, path: path, method: method, process: process, texts: &texts), &anomalies)
    }
    let own = SIMD4(shared[0], shared[1], texts.serial(method), texts.serial(process))
    if let known = templated[own] { return noting(known, &anomalies) }
    let template = texts.intern(templates.template(of: texts.octets(path), host: texts.octets(host), &segments))
    defer { texts.release(template) }
    let found = find(host: host, path: template, method: method, process: process, texts: &texts)
    if templated.count == Self.templatedLimit { templated.removeAll(keepingCapacity: true) }
    templated[found.full == nil ? shared : own] = found
    return noting(found, &anomalies)
  }

  /// The position, after the limit that was reached is noted.
  private func noting(_ found: Templated, _ anomalies: inout AnomalyLog) -> Int {
    if let full = found.full { anomalies.note(full) }
    return found.position
  }

  /// The API with a path or template, which is made if there is room.
  private mutating func find(
    host: TextID, path: TextID, method: TextID, process: TextID, texts: inout TextPool
  ) -> Templated {
    var name = Name(host: host, path: path, method: grouping.method ? method : .none, process: .none)
    if grouping.process { name.process = texts.internName(ofProcess: process) }
    defer { if grouping.process { texts.release(name.process) } }
    let mark = Int((name.host.index &* 31 &+ name.path.index) &* 31 &+ name.method.index) & (recent.count - 1)
    if recent[mark].position >= 0, recent[mark].name == name { return Templated(position: recent[mark].position) }
    if let position = positions[name] {
      recent[mark] = (name, position)
      return Templated(position: position)
    }
    let full = limitReached(by: name, texts)
    if full != nil {
      name.path = .none
      name.method = .none
      if let position = positions[name] { return Templated(position: position, full: full) }
      // Hosts may be countless, too. They have another eighth of the room.
      if limitReached(by: name, texts, sharing: 8) != nil {
        name.host = .none
        if let position = positions[name] { return Templated(position: position, full: full) }
      }
    }
    textLength += length(name, texts)
    texts.retain(name.host)
    texts.retain(name.path)
    texts.retain(name.method)
    texts.retain(name.process)
    var new = APITotals()
    new.host = name.host
    new.path = name.path
    new.method = name.method
    new.process = name.process
    new.wait = LatencyDistribution(bits: latencyBits)
    positions[name] = totals.count
    totals.append(new)
    return Templated(position: totals.count - 1, full: full)
  }

  /// The limit that keeps a further API from totals of its own; nil if there is room. With `share`, each limit is raised by that fraction
  /// of itself.
  private func limitReached(by name: Name, _ texts: borrowing TextPool, sharing share: Int? = nil) -> Anomaly? {
    // Compares differences, which cannot overflow even with the largest limit.
    func excess(_ limit: Int) -> Int { share.map { limit / $0 } ?? 0 }
    if totals.count - limit >= excess(limit) { return .apiTableFull }
    return textLength + length(name, texts) - textLimit > excess(textLimit) ? .apiTextsFull : nil
  }

  private func length(_ name: Name, _ texts: borrowing TextPool) -> Int {
    texts.length(name.host) + texts.length(name.path) + texts.length(name.method) + texts.length(name.process)
  }

  /// The totals by host, path, method and process as octets.
  package func sorted(texts: borrowing TextPool) -> [APITotals] { order(texts).map { totals[Int($0)] } }

  /// Sorts and returns the totals, and leaves the table empty. They are sorted in place, as there can be very many.
  mutating func takeSorted(texts: borrowing TextPool) -> [APITotals] {
    positions = [:]
    recent = []
    templated = [:]
    var order = order(texts)
    var sorted = totals.takeAll()
    // Follows each cycle of places, so that each element moves once.
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

  /// The positions of the totals, sorted by the octets of host, path, method and process.
  func order(_ texts: borrowing TextPool) -> [Int32] {
    func isBefore(_ a: APITotals, _ b: APITotals, _ texts: borrowing TextPool) -> Bool {
      if a.host != b.host { return texts.octets(a.host).lexicographicallyPrecedes(texts.octets(b.host)) }
      if a.path != b.path { return texts.octets(a.path).lexicographicallyPrecedes(texts.octets(b.path)) }
      if a.method != b.method { return texts.octets(a.method).lexicographicallyPrecedes(texts.octets(b.method)) }
      return a.process != b.process && texts.octets(a.process).lexicographicallyPrecedes(texts.octets(b.process))
    }
    var order = totals.indices.map { Int32($0) }
    order.sort { isBefore(totals[Int($0)], totals[Int($1)], texts) }
    return order
  }
}

extension APITotals {
  /// Adds a wait phase in nanoseconds. Returns the octets of memory that this took.
  @inline(__always)
  fileprivate mutating func record(_ wait: Int64) -> Int {
    let before = self.wait.memory
    self.wait.record(wait)
    return self.wait.memory - before
  }

  /// Adds a final message.
  @inline(__always)
  package mutating func add(_ message: borrowing Message) {
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
  /// Adds a message.
  @inline(__always)
  package mutating func add(_ message: borrowing Message) {
    octets += message.octets
    decodedBody += message.decodedBody ?? 0
    retransmitted += message.retransmitted
    overhead += message.overhead
    tls += message.tls
    tunnel += message.tunnel
    control += message.control
    if let length = message.expandedHeader {
      expandedHeader += length
      compressedHeader += message.octets.header
    }
  }
}
