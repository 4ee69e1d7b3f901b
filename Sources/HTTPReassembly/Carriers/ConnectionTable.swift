/// The identity of a connection: both endpoints, in either direction.
struct ConnectionKey: Hashable {
  // Two endpoints would need more room: each would be padded to 24 octets.
  private let lowAddress: IPAddress
  private let highAddress: IPAddress
  private let lowPort: UInt16
  private let highPort: UInt16

  @inline(__always)
  init(_ a: Endpoint, _ b: Endpoint) {
    let isOrdered = a.address == b.address ? a.port <= b.port : a.address < b.address
    lowAddress = isOrdered ? a.address : b.address
    highAddress = isOrdered ? b.address : a.address
    lowPort = isOrdered ? a.port : b.port
    highPort = isOrdered ? b.port : a.port
  }

  /// The endpoint that comes first in the order of addresses and ports.
  var low: Endpoint { Endpoint(address: lowAddress, port: lowPort) }
  /// The other endpoint.
  var high: Endpoint { Endpoint(address: highAddress, port: highPort) }

  /// A hash that outsiders cannot foresee, so that they cannot fill one bucket of the table (CWE-407).
  ///
  /// It folds 64 × 64 bit products with a random key for each run. That takes two multiplications a packet; the standard
  /// library's hasher takes several times as long.
  @inline(__always)
  func hash(_ seed: HashSeed) -> Int {
    let ports = UInt64(lowPort) << 16 | UInt64(highPort)
    let first = Self.fold(lowAddress.low ^ seed.a, highAddress.low ^ seed.b)
    let second = Self.fold(lowAddress.high ^ highAddress.high &* 0x9e37_79b9_7f4a_7c15 ^ seed.c, ports ^ seed.a)
    return Int(truncatingIfNeeded: Self.fold(first ^ seed.b, second ^ seed.c) >> 1)
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b | 1)
    return product.high ^ product.low
  }
}

/// The random key of a run's hashes.
struct HashSeed {
  let a = UInt64.random(in: .min ... .max)
  let b = UInt64.random(in: .min ... .max)
  let c = UInt64.random(in: .min ... .max)
}

/// Connections by their endpoints, and in the order of their latest segments.
struct ConnectionTable<Receiver: StreamReceiver>: ~Copyable {
  /// A connection and its place in the table.
  private struct Entry {
    var connection: TCPConnection<Receiver>
    let hash: UInt32
    /// The slots before and after it in its list; -1 at the ends.
    var previous: Int32 = -1
    var next: Int32 = -1
    /// Whether it is in the list of closed connections.
    var isClosed = false
  }

  /// The ends of a list of connections. The first one was seen least recently.
  private struct List {
    var first: Int32 = -1
    var last: Int32 = -1
  }

  private var entries = Slab<Entry>()
  private var index = HashIndex(buckets: 1024)
  private var open = List()
  private var closed = List()
  private let seed = HashSeed()
  /// The connection of the last segment. Most segments belong to the same connection as the segment before.
  private var latestKey: ConnectionKey?
  private var latestSlot = -1

  /// The number of connections in the table.
  var count: Int { entries.count }

  /// Changes a connection, and moves it to the end of its list as seen last.
  @inline(__always)
  mutating func see(_ slot: Int, _ body: (inout TCPConnection<Receiver>) -> Void) {
    body(&entries[slot].connection)
    let isClosed = entries.look(slot) { $0.connection.isClosed }
    if isClosed ? Int(closed.last) != slot : Int(open.last) != slot { moveToEnd(slot, isClosed: isClosed) }
  }

  /// Changes a connection without moving it in its list.
  @inline(__always)
  mutating func change<Result>(_ slot: Int, _ body: (inout TCPConnection<Receiver>) -> Result) -> Result {
    body(&entries[slot].connection)
  }

  /// Reads from a connection without copying it.
  @inline(__always)
  func look<Result>(_ slot: Int, _ body: (borrowing TCPConnection<Receiver>) -> Result) -> Result {
    entries.look(slot) { body($0.connection) }
  }

  /// Whether a slot holds a connection to check after this capture time.
  func isToBeLookedAt(_ slot: Int, after deadline: Int64) -> Bool {
    entries.contains(slot) && look(slot) { $0.lookDeadline == deadline }
  }

  /// Whether a slot holds a connection.
  func contains(_ slot: Int) -> Bool { entries.contains(slot) }

  /// Reads every connection, in the order of their numbers in reports.
  func forEach(_ body: (borrowing TCPConnection<Receiver>) -> Void) {
    for (_, slot) in allInOrder() { look(Int(slot), body) }
  }

  /// The connection's number in reports.
  func number(of slot: Int) -> Int { look(slot) { $0.record.number } }

  /// The capture time of the connection's latest segment.
  @inline(__always)
  func lastSeen(_ slot: Int) -> Int64 { look(slot) { $0.lastSeen } }

  /// The slot of the connection between two endpoints.
  @inline(__always)
  mutating func slot(for key: ConnectionKey) -> Int? {
    if latestKey == key { return latestSlot }
    return find(key)
  }

  @inline(never)
  private mutating func find(_ key: ConnectionKey) -> Int? {
    guard let slot = place(of: key) else { return nil }
    latestKey = key
    latestSlot = slot
    return slot
  }

  /// It changes nothing, so that nothing is retained for the search.
  private func place(of key: ConnectionKey) -> Int? {
    index.place(UInt32(truncatingIfNeeded: key.hash(seed)), where: { slot in look(slot) { $0.isBetween(key) } })
  }

  /// Adds a connection whose endpoints are not in the table.
  mutating func insert(_ connection: consuming TCPConnection<Receiver>, for key: ConnectionKey) -> Int {
    let hash = UInt32(truncatingIfNeeded: key.hash(seed))
    let slot = entries.insert(Entry(connection: connection, hash: hash))
    index.insert(slot, hash)
    append(slot)
    latestKey = key
    latestSlot = slot
    return slot
  }

  /// Takes a connection out of the table.
  mutating func remove(_ slot: Int) -> TCPConnection<Receiver> {
    unlink(slot)
    index.remove(slot, entries.look(slot) { $0.hash })
    if latestSlot == slot { latestKey = nil }
    return entries.remove(slot).connection
  }

  /// The open connection that was seen least recently.
  var idlestOpen: Int? { open.first < 0 ? nil : Int(open.first) }
  /// The closed connection that was seen least recently.
  var idlestClosed: Int? { closed.first < 0 ? nil : Int(closed.first) }

  /// The connection seen next after this one, in the same list.
  func next(after slot: Int) -> Int? {
    let next = entries.look(slot) { $0.next }
    return next < 0 ? nil : Int(next)
  }

  /// Every connection, in the order of their numbers in reports.
  ///
  /// There can be very many connections, and memory may be full already. They are therefore gathered and sorted in one array.
  func allInOrder() -> [(number: Int, slot: Int32)] {
    var all: [(number: Int, slot: Int32)] = []
    all.reserveCapacity(count)
    for slot in entries.indices { all.append((number(of: slot), Int32(slot))) }
    all.sort { $0.number < $1.number }
    return all
  }

  // MARK: Lists

  @inline(never)
  private mutating func moveToEnd(_ slot: Int, isClosed: Bool) {
    unlink(slot)
    entries[slot].isClosed = isClosed
    append(slot)
  }

  private mutating func append(_ slot: Int) {
    let isClosed = entries.look(slot) { $0.isClosed }
    let last = isClosed ? closed.last : open.last
    entries[slot].previous = last
    entries[slot].next = -1
    if last >= 0 { entries[Int(last)].next = Int32(slot) }
    changeList(isClosed: isClosed) { list in
      list.last = Int32(slot)
      if list.first < 0 { list.first = Int32(slot) }
    }
  }

  private mutating func unlink(_ slot: Int) {
    let (previous, next, isClosed) = entries.look(slot) { ($0.previous, $0.next, $0.isClosed) }
    if previous >= 0 { entries[Int(previous)].next = next }
    if next >= 0 { entries[Int(next)].previous = previous }
    changeList(isClosed: isClosed) { list in
      if list.first == Int32(slot) { list.first = next }
      if list.last == Int32(slot) { list.last = previous }
    }
  }

  @inline(__always)
  private mutating func changeList(isClosed: Bool, _ body: (inout List) -> Void) {
    if isClosed { body(&closed) } else { body(&open) }
  }
}
