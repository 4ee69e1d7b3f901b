/// The traffic of one group. Lengths are octets.
public struct GroupTotals: Sendable, Equatable {
  /// The value that its connections or messages share; empty if they have none.
  public var name: [UInt8] = []
  /// The number of connections, if connections are grouped.
  public var connections = 0
  /// The number of requests.
  public var requests = 0
  /// The number of final responses.
  public var responses = 0
  /// `ip_bytes` from the clients.
  public var up = 0
  /// `ip_bytes` from the servers.
  public var down = 0

  /// Creates totals of zero.
  public init() {}

  /// `ip_bytes`.
  public var ipLength: Int { up + down }
}

/// Totals by group, kept up as messages and connections become final.
package struct GroupTable {
  /// The identity of a group.
  private struct Name: Hashable {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var number = 0
    var text: [UInt8] = []
  }

  /// Octets of a connection that its messages have taken so far.
  private struct Taken {
    var up = 0
    var down = 0
  }

  private let key: GroupKey?
  /// Whether connections come, too, and bring what they cost.
  private let isOfConnections: Bool
  private var limit: Int
  /// How many times totals are in memory.
  private let copies: Int
  /// Octets taken by messages, when their group may differ from their connection's.
  private var taken: ConnectionSlots<Taken>
  private var positions: [Name: Int] = [:]
  private(set) var totals: [GroupTotals] = []

  /// A table without groups, by `Configuration.groupKey`; `isOfMessages` says that no connections will come.
  package init(configuration: Configuration, isOfMessages: Bool = false) {
    key = configuration.groupKey
    isOfConnections = !isOfMessages && key?.isOfConnections == true
    limit = configuration.groupLimit
    copies = configuration.isLookedAt ? 2 : 1
    taken = ConnectionSlots(isWanted: isOfConnections && key == .process, initial: Taken())
  }

  /// Whether the table is wanted.
  var isWanted: Bool { key != nil }

  /// Octets of memory that the table takes.
  var memory: Int {
    copies * totals.count * MemoryLayout<GroupTotals>.stride + positions.capacity * (MemoryLayout<Name>.stride + 8)
      + totals.count * 64 + taken.memory
  }

  /// Ends the growth of the table: new groups have no row of their own, as beyond the limit.
  mutating func close() { limit = min(limit, totals.count) }

  /// Adds a final message.
  package mutating func add(_ message: borrowing Message, _ texts: borrowing TextPool, _ anomalies: inout AnomalyLog) {
    guard let key else { return }
    let position: Int
    switch key {
    case .client: position = self.position(of: message.client.address, &anomalies)
    case .server: position = self.position(of: message.server, &anomalies)
    case .contentType: position = self.position(of: GroupKey.mediaType(texts.octets(message.contentType)), &anomalies)
    case .status: position = self.position(ofStatusOf: message, &anomalies)
    case .method: position = self.position(of: texts.octets(message.method), &anomalies)
    case .host: position = self.position(of: texts.octets(message.host), &anomalies)
    case .process: position = self.position(of: texts.processName(message.process), &anomalies)
    }
    if message.kind == .request { totals[position].requests += 1 }
    if message.kind == .response { totals[position].responses += 1 }
    // Of a client and a server everything comes with their connections.
    guard !isOfConnections || key == .process else { return }
    let directions = message.directions
    if isOfConnections {
      let slot = taken.slot(of: message.connection)
      taken[slot].up += directions.client
      taken[slot].down += directions.server
    }
    totals[position].up += directions.client
    totals[position].down += directions.server
  }

  /// Adds a final connection. All its messages must have been added.
  mutating func add(_ connection: Connection, _ texts: borrowing TextPool, _ anomalies: inout AnomalyLog) {
    guard let key else { return }
    let position: Int
    var messages = Taken()
    switch key {
    case .client: position = self.position(of: connection.client.address, &anomalies)
    case .server: position = self.position(of: connection.server, &anomalies)
    case .process:
      position = self.position(of: texts.processName(connection.process), &anomalies)
      messages = taken.remove(connection.number)
    case .contentType, .status, .method, .host: return
    }
    totals[position].connections += 1
    totals[position].up += connection.ipLength.client - messages.up
    totals[position].down += connection.ipLength.server - messages.down
  }

  /// The totals, the most octets first, of equal ones by name.
  package var sorted: [GroupTotals] {
    totals.sorted { a, b in
      a.ipLength == b.ipLength ? a.name.lexicographicallyPrecedes(b.name) : a.ipLength > b.ipLength
    }
  }

  // MARK: Groups

  private mutating func position(of address: IPAddress, _ anomalies: inout AnomalyLog) -> Int {
    position(of: Name(high: address.high, low: address.low), &anomalies) { Array(address.description.utf8) }
  }

  private mutating func position(of endpoint: Endpoint, _ anomalies: inout AnomalyLog) -> Int {
    let name = Name(high: endpoint.address.high, low: endpoint.address.low, number: Int(endpoint.port))
    return position(of: name, &anomalies) { Array("\(endpoint)".utf8) }
  }

  /// Requests have no status. Nor has a response whose start was not seen, which is another group.
  private mutating func position(ofStatusOf message: borrowing Message, _ anomalies: inout AnomalyLog) -> Int {
    let (status, isRequest) = (message.status, message.kind == .request)
    let name = Name(number: status == 0 && !isRequest ? -1 : status)
    return position(of: name, &anomalies) {
      status > 0 ? Array("\(status)".utf8) : isRequest ? [] : Array("(unknown)".utf8)
    }
  }

  private mutating func position(of text: [UInt8], _ anomalies: inout AnomalyLog) -> Int {
    position(of: Name(text: text), &anomalies) { text }
  }

  private mutating func position(
    of name: Name, _ anomalies: inout AnomalyLog, _ text: () -> [UInt8]
  ) -> Int {
    if let position = positions[name] { return position }
    var (name, text) = (name, text())
    if totals.count >= limit || text.count > Self.longest {
      anomalies.note(.groupTableFull)
      (name, text) = (Name(), [])
      if let position = positions[name] { return position }
    }
    positions[name] = totals.count
    var new = GroupTotals()
    new.name = text
    totals.append(new)
    return totals.count - 1
  }

  /// Octets of a name at most: a host has 255 (RFC 1035 §2.3.4) and a port, media types and methods have some tens (RFC 6838 §4.2 allows
  /// 255).
  static let longest = 261
}
