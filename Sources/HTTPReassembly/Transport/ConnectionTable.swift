/// The connections that are being followed, by their endpoints, and in the order in which they were last seen.
///
/// Those seen lately are whole; of the others only what `ConnectionAtRest` keeps is here, until they are asked for.
struct ConnectionTable: ~Copyable {
  private struct Place {
    var hash: UInt32
    /// Number of the entry; -1 when the place is empty.
    var slot: Int32
  }

  private struct Latest {
    let key: ConnectionKey
    let slot: Int
    /// Number among the whole connections.
    let place: Int
  }

  private let configuration: Configuration
  private var entries = Slab<ConnectionEntry>()
  private var whole = Slab<TCPConnection>()
  private var places: [Place]
  private var open: RecencyList
  private var closed: RecencyList
  private let seed = HashSeed()
  /// The connection of the last segment, which is whole: most segments belong to the same one as the one before.
  private var latest: Latest?
  private var coder = StateCoder()
  /// Octets of memory that connections at rest take less than `StateCost` counts for whole ones.
  private(set) var savedOctets = 0

  init(configuration: Configuration) {
    self.configuration = configuration
    places = Array(repeating: Place(hash: 0, slot: -1), count: 1024)
    open = RecencyList(recentLimit: configuration.wholeOpenConnectionLimit)
    closed = RecencyList(recentLimit: configuration.wholeClosedConnectionLimit)
  }

  /// Connections in the table.
  var count: Int { entries.count }

  /// Changes a connection that `slot(for:)` or `insert(_:for:)` has just given the number of, which is seen with that.
  @inline(__always)
  mutating func see(_ slot: Int, _ body: (inout TCPConnection) -> Void) {
    let place = place(of: slot)
    body(&whole[place])
    touch(slot, isClosed: whole.look(place) { $0.isClosed })
  }

  /// Changes such a connection, which is not seen with that.
  mutating func change<Result>(_ slot: Int, _ body: (inout TCPConnection) -> Result) -> Result {
    body(&whole[place(of: slot)])
  }

  /// Something of such a connection, looked at in its place.
  @inline(__always)
  func look<Result>(_ slot: Int, _ body: (borrowing TCPConnection) -> Result) -> Result {
    whole.look(place(of: slot), body)
  }

  @inline(__always)
  private func place(of slot: Int) -> Int {
    if let latest, latest.slot == slot { return latest.place }
    return Int(entries.look(slot) { $0.whole })
  }

  /// Looks at every connection, in the order of their numbers in reports.
  func forEach(_ body: (borrowing TCPConnection) -> Void) {
    var coder = StateCoder()
    for (_, slot) in allInOrder() {
      let slot = Int(slot)
      if let rest = entries.look(slot, { $0.rest }) {
        body(TCPConnection(rest, for: entries.look(slot) { $0.key }, &coder, configuration: configuration))
      } else {
        look(slot, body)
      }
    }
  }

  /// The number that any connection has in reports.
  func number(of slot: Int) -> Int {
    entries.look(slot) { $0.rest?.number } ?? look(slot) { $0.record.number }
  }

  /// Capture time of the latest segment of any connection.
  @inline(__always)
  func lastSeen(_ slot: Int) -> Int64 {
    entries.look(slot) { $0.rest?.lastSeen } ?? look(slot) { $0.lastSeen }
  }

  /// The connection between two endpoints, whole.
  @inline(__always)
  mutating func slot(for key: ConnectionKey) -> Int? {
    if let latest, latest.key == key { return latest.slot }
    let hash = UInt32(truncatingIfNeeded: key.hash(seed))
    var index = Int(hash) & (places.count - 1)
    while places[index].slot >= 0 {
      if places[index].hash == hash, entries.look(Int(places[index].slot), { $0.key == key }) {
        let slot = Int(places[index].slot)
        if entries.look(slot, { $0.whole < 0 }) { restore(slot) }
        latest = Latest(key: key, slot: slot, place: Int(entries.look(slot) { $0.whole }))
        return slot
      }
      index = (index + 1) & (places.count - 1)
    }
    return nil
  }

  /// Adds a connection whose endpoints are not in the table.
  mutating func insert(_ connection: consuming TCPConnection, for key: ConnectionKey) -> Int {
    let hash = UInt32(truncatingIfNeeded: key.hash(seed))
    let place = whole.insert(connection)
    let slot = entries.insert(ConnectionEntry(key: key, hash: hash, whole: place))
    if entries.count * 2 > places.count { grow() }
    enter(hash, slot)
    append(slot)
    latest = Latest(key: key, slot: slot, place: place)
    return slot
  }

  /// Takes a connection out.
  mutating func remove(_ slot: Int) -> TCPConnection {
    unlink(slot)
    vacate(slot)
    if latest?.slot == slot { latest = nil }
    let (key, place, rest) = entries.look(slot) { ($0.key, Int($0.whole), $0.rest) }
    entries.discard(slot)
    guard let rest else { return whole.remove(place) }
    return restored(rest, key)
  }

  /// A connection has just been seen.
  @inline(__always)
  private mutating func touch(_ slot: Int, isClosed: Bool) {
    if !list(isClosed: isClosed).isNewest(slot) {
      unlink(slot)
      entries[slot].isClosed = isClosed
      append(slot)
    }
    if isClosed {
      while closed.recentCount > closed.recentLimit { letFirstRest(isClosed: true) }
    } else if open.recentCount > min(open.recentLimit, configuration.restlessConnectionLimit) {
      letIdleRest(at: look(slot) { $0.lastSeen })
    }
  }

  /// The open connection seen least recently.
  var idlestOpen: Int? { open.first < 0 ? nil : Int(open.first) }
  /// The closed connection seen least recently.
  var idlestClosed: Int? { closed.first < 0 ? nil : Int(closed.first) }

  /// Every connection, in the order of their numbers in reports.
  ///
  /// There can be very many, and it is asked for when memory is full already: so they are gathered and sorted in one array.
  func allInOrder() -> [(number: Int, slot: Int32)] {
    var all: [(number: Int, slot: Int32)] = []
    all.reserveCapacity(count)
    for slot in entries.indices { all.append((number(of: slot), Int32(slot))) }
    all.sort { $0.number < $1.number }
    return all
  }

  // MARK: At rest

  /// Lets open connections rest that have waited for long, or that are too many.
  @inline(never)
  private mutating func letIdleRest(at time: Int64) {
    while open.recentCount > open.recentLimit
      || open.recentCount > configuration.restlessConnectionLimit
        && time - lastSeen(Int(open.firstRecent)) > configuration.restTimeout
    {
      letFirstRest(isClosed: false)
    }
  }

  /// Lets the first of a list's recent connections rest, if it can.
  @inline(never)
  private mutating func letFirstRest(isClosed: Bool) {
    let slot = Int(list(isClosed: isClosed).firstRecent)
    let next = entries.look(slot) { $0.next }
    changeList(isClosed: isClosed) { $0.forgetRecent(slot, next: next) }
    entries[slot].isRecent = false
    let place = Int(entries[slot].whole)
    let key = entries.look(slot) { $0.key }
    guard let rest = ConnectionAtRest(&whole[place], for: key, &coder, configuration: configuration) else { return }
    savedOctets += whole.look(place) { $0.stateCost } - StateCost.atRest(rest)
    whole.discard(place)
    entries[slot].whole = -1
    entries[slot].rest = rest
    if latest?.slot == slot { latest = nil }
  }

  /// Makes a connection at rest whole.
  @inline(never)
  private mutating func restore(_ slot: Int) {
    guard let rest = entries[slot].rest else { return }
    entries[slot].rest = nil
    entries[slot].whole = Int32(whole.insert(restored(rest, entries[slot].key)))
  }

  private mutating func restored(_ rest: ConnectionAtRest, _ key: ConnectionKey) -> TCPConnection {
    let connection = TCPConnection(rest, for: key, &coder, configuration: configuration)
    savedOctets -= connection.stateCost - StateCost.atRest(rest)
    return connection
  }

  // MARK: Places

  private mutating func enter(_ hash: UInt32, _ slot: Int) {
    var index = Int(hash) & (places.count - 1)
    while places[index].slot >= 0 { index = (index + 1) & (places.count - 1) }
    places[index] = Place(hash: hash, slot: Int32(slot))
  }

  private mutating func vacate(_ slot: Int) {
    let mask = places.count - 1
    var hole = Int(entries.look(slot) { $0.hash }) & mask
    while places[hole].slot != Int32(slot) { hole = (hole + 1) & mask }
    // Close the gap, so that looking up never steps over deleted places.
    var index = (hole + 1) & mask
    while places[index].slot >= 0 {
      if (index - Int(places[index].hash)) & mask >= (index - hole) & mask {
        places[hole] = places[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    places[hole].slot = -1
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: Place(hash: 0, slot: -1), count: old.count * 2)
    for place in old where place.slot >= 0 { enter(place.hash, Int(place.slot)) }
  }

  // MARK: Lists

  /// The list of closed or of open connections.
  @inline(__always)
  private func list(isClosed: Bool) -> RecencyList { isClosed ? closed : open }

  @inline(__always)
  private mutating func changeList(isClosed: Bool, _ body: (inout RecencyList) -> Void) {
    if isClosed { body(&closed) } else { body(&open) }
  }

  private mutating func append(_ slot: Int) {
    let isClosed = entries.look(slot) { $0.isClosed }
    let last = list(isClosed: isClosed).last
    entries[slot].previous = last
    entries[slot].next = -1
    entries[slot].isRecent = true
    if last >= 0 { entries[Int(last)].next = Int32(slot) }
    changeList(isClosed: isClosed) { $0.append(slot) }
  }

  private mutating func unlink(_ slot: Int) {
    let (previous, next, isClosed, isRecent) = entries.look(slot) { ($0.previous, $0.next, $0.isClosed, $0.isRecent) }
    if previous >= 0 { entries[Int(previous)].next = next }
    if next >= 0 { entries[Int(next)].previous = previous }
    changeList(isClosed: isClosed) { $0.remove(slot, previous: previous, next: next, isRecent: isRecent) }
  }
}
