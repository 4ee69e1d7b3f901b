/// The values that a table keeps for connections that are not final.
///
/// Connections open at the same time nearly always have close numbers. So the newest connection of each slot is found without a hash, and
/// only the others are looked up.
struct ConnectionSlots<Value> {
  private var slots: [(connection: Int, value: Value)]
  private var displaced: [Int: Value] = [:]
  private let initial: Value

  /// The number of slots: a power of two.
  private static var slotCount: Int { 1024 }

  /// Creates slots; none if the table is not wanted. The value of a new connection is `initial`.
  init(isWanted: Bool, initial: Value) {
    slots = isWanted ? Array(repeating: (0, initial), count: Self.slotCount) : []
    self.initial = initial
  }

  /// Octets of memory that the slots take, without memory that values refer to.
  var memory: Int {
    slots.count * MemoryLayout<(Int, Value)>.stride + displaced.capacity * (MemoryLayout<Value>.stride + 16)
  }

  /// The slot of a connection. It is valid until the slot of another connection is asked for.
  @inline(__always)
  mutating func slot(of connection: Int) -> Int {
    let slot = connection & (Self.slotCount - 1)
    if slots[slot].connection != connection { take(slot, for: connection) }
    return slot
  }

  @inline(never)
  private mutating func take(_ slot: Int, for connection: Int) {
    if slots[slot].connection != 0 { displaced[slots[slot].connection] = slots[slot].value }
    slots[slot] = (connection, displaced.isEmpty ? initial : displaced.removeValue(forKey: connection) ?? initial)
  }

  /// The value of the connection in a slot.
  subscript(slot: Int) -> Value {
    @inline(__always) _read { yield slots[slot].value }
    @inline(__always) _modify { yield &slots[slot].value }
  }

  /// Removes and returns the value of a final connection.
  mutating func remove(_ connection: Int) -> Value {
    let slot = slot(of: connection)
    var removed = (connection: 0, value: initial)
    swap(&removed, &slots[slot])
    return removed.value
  }
}

extension ConnectionSlots: Sendable where Value: Sendable {}
