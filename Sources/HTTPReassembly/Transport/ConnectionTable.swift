/// The connections that are being followed, by their endpoints, and in the order in which they were last seen.
struct ConnectionTable: ~Copyable {
  private struct Place {
    var hash: Int
    /// Number in the slab; -1 when the place is empty.
    var slot: Int32
  }

  private struct Links {
    var previous: Int32 = -1
    var next: Int32 = -1
    var hash = 0
    var isClosed = false
  }

  private struct List {
    var first: Int32 = -1
    var last: Int32 = -1
  }

  private var connections = Slab<TCPConnection>()
  private var keys: [ConnectionKey?] = []
  private var links: [Links] = []
  private var places: [Place]
  private var open = List()
  private var closed = List()
  private let seed = HashSeed()
  /// The connection of the last segment: most segments belong to the same one as the one before.
  private var latest = -1

  init() { places = Array(repeating: Place(hash: 0, slot: -1), count: 1024) }

  /// Connections in the table.
  var count: Int { connections.count }

  subscript(slot: Int) -> TCPConnection {
    @inline(__always) _read { yield connections[slot] }
    @inline(__always) _modify { yield &connections[slot] }
  }

  /// Something of a connection, looked at in its place.
  @inline(__always)
  func look<Result>(_ slot: Int, _ body: (borrowing TCPConnection) -> Result) -> Result { connections.look(slot, body) }

  /// The connection between two endpoints.
  @inline(__always)
  mutating func slot(for key: ConnectionKey) -> Int? {
    if latest >= 0, keys[latest] == key { return latest }
    let hash = key.hash(seed)
    var index = hash & (places.count - 1)
    while places[index].slot >= 0 {
      if places[index].hash == hash, keys[Int(places[index].slot)] == key {
        latest = Int(places[index].slot)
        return latest
      }
      index = (index + 1) & (places.count - 1)
    }
    return nil
  }

  /// Adds a connection whose endpoints are not in the table.
  mutating func insert(_ connection: TCPConnection, for key: ConnectionKey) -> Int {
    let slot = connections.insert(connection)
    if slot == keys.count {
      keys.append(key)
      links.append(Links())
    } else {
      keys[slot] = key
      links[slot] = Links()
    }
    let hash = key.hash(seed)
    links[slot].hash = hash
    if connections.count * 2 > places.count { grow() }
    enter(hash, slot)
    append(slot)
    latest = slot
    return slot
  }

  /// Takes a connection out.
  mutating func remove(_ slot: Int) -> TCPConnection {
    unlink(slot)
    vacate(slot)
    keys[slot] = nil
    if latest == slot { latest = -1 }
    return connections.remove(slot)
  }

  /// The connection has just been seen.
  @inline(__always)
  mutating func touch(_ slot: Int) {
    let isClosed = connections.look(slot) { $0.isClosed }
    let list = links[slot].isClosed ? closed : open
    if list.last == slot, links[slot].isClosed == isClosed { return }
    unlink(slot)
    links[slot].isClosed = isClosed
    append(slot)
  }

  /// The open connection seen least recently.
  var idlestOpen: Int? { open.first < 0 ? nil : Int(open.first) }
  /// The closed connection seen least recently.
  var idlestClosed: Int? { closed.first < 0 ? nil : Int(closed.first) }

  /// Every connection, by number.
  func allSlots() -> [Int] {
    keys.indices.filter { keys[$0] != nil }.sorted { connections[$0].record.number < connections[$1].record.number }
  }

  // MARK: Places

  private mutating func enter(_ hash: Int, _ slot: Int) {
    var index = hash & (places.count - 1)
    while places[index].slot >= 0 { index = (index + 1) & (places.count - 1) }
    places[index] = Place(hash: hash, slot: Int32(slot))
  }

  private mutating func vacate(_ slot: Int) {
    let mask = places.count - 1
    var hole = links[slot].hash & mask
    while places[hole].slot != Int32(slot) { hole = (hole + 1) & mask }
    // Close the gap, so that looking up never steps over deleted places.
    var index = (hole + 1) & mask
    while places[index].slot >= 0 {
      if (index - places[index].hash) & mask >= (index - hole) & mask {
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

  private mutating func append(_ slot: Int) {
    let isClosed = links[slot].isClosed
    let last = isClosed ? closed.last : open.last
    links[slot].previous = last
    links[slot].next = -1
    if last >= 0 { links[Int(last)].next = Int32(slot) }
    if isClosed {
      closed.last = Int32(slot)
      if closed.first < 0 { closed.first = Int32(slot) }
    } else {
      open.last = Int32(slot)
      if open.first < 0 { open.first = Int32(slot) }
    }
  }

  private mutating func unlink(_ slot: Int) {
    let link = links[slot]
    if link.previous >= 0 { links[Int(link.previous)].next = link.next }
    if link.next >= 0 { links[Int(link.next)].previous = link.previous }
    if link.isClosed {
      if closed.first == slot { closed.first = link.next }
      if closed.last == slot { closed.last = link.previous }
    } else {
      if open.first == slot { open.first = link.next }
      if open.last == slot { open.last = link.previous }
    }
  }
}
