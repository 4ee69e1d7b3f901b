/// What a table keeps of each connection that is not final.
///
/// Connections that are open at once have numbers close to each other, nearly always: the newest of each slot is found without a hash,
/// and all others are looked up.
struct ConnectionSlots<Value> {
  private var slots: [(connection: Int, value: Value)]
  private var displaced: [Int: Value] = [:]
  private let initial: Value

  /// Slots: a power of two.
  private static var slotCount: Int { 1024 }

  /// Without slots where nobody wants the table. A connection has `initial` before anything is kept of it.
  init(isWanted: Bool, initial: Value) {
    slots = isWanted ? Array(repeating: (0, initial), count: Self.slotCount) : []
    self.initial = initial
  }

  /// Octets of memory that the slots take, without what a value has elsewhere.
  var memory: Int {
    slots.count * MemoryLayout<(Int, Value)>.stride + displaced.capacity * (MemoryLayout<Value>.stride + 16)
  }

  /// The slot of a connection, which is its own until that of another one is asked for.
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

  /// What is kept of the connection in a slot.
  subscript(slot: Int) -> Value {
    @inline(__always) _read { yield slots[slot].value }
    @inline(__always) _modify { yield &slots[slot].value }
  }

  /// A connection is final: nothing more is kept of it.
  mutating func remove(_ connection: Int) -> Value {
    let slot = slot(of: connection)
    var removed = (connection: 0, value: initial)
    swap(&removed, &slots[slot])
    return removed.value
  }
}

extension ConnectionSlots: Sendable where Value: Sendable {}
