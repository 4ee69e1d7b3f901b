/// Values by marks of octets (`OctetMark`), which are random numbers already: their lowest bits are the place of a value.
struct MarkTable<Value> {
  /// The entries, a power of two of them, at most three quarters used. The mark 0 is an empty one.
  private var entries: [(mark: UInt64, value: Value)] = []
  /// The value of empty entries.
  private let empty: Value
  /// The number of marks.
  private(set) var count = 0

  init(empty: Value) { self.empty = empty }

  /// Octets of memory on the heap.
  var memory: Int { entries.count * MemoryLayout<(mark: UInt64, value: Value)>.stride }

  /// The value of a mark; nil without one.
  subscript(mark: UInt64) -> Value? {
    guard !entries.isEmpty else { return nil }
    let entry = entries[place(of: mark)]
    return entry.mark == 0 ? nil : entry.value
  }

  /// Sets the value of a mark. Returns whether the mark is new.
  @discardableResult
  mutating func set(_ mark: UInt64, _ value: Value) -> Bool {
    if 4 * (count + 1) > 3 * entries.count { grow() }
    let place = place(of: mark)
    let isNew = entries[place].mark == 0
    if isNew { count += 1 }
    entries[place] = (Self.key(mark), value)
    return isNew
  }

  private static func key(_ mark: UInt64) -> UInt64 { mark == 0 ? 1 : mark }

  /// The place of a mark's entry, or of an empty entry for it.
  @inline(__always)
  private func place(of mark: UInt64) -> Int {
    let key = Self.key(mark)
    let mask = entries.count - 1
    var place = Int(truncatingIfNeeded: key) & mask
    while entries[place].mark != 0, entries[place].mark != key { place = (place + 1) & mask }
    return place
  }

  @inline(never)
  private mutating func grow() {
    let old = entries
    entries = Array(repeating: (0, empty), count: max(2 * old.count, 16))
    for entry in old where entry.mark != 0 { entries[place(of: entry.mark)] = entry }
  }
}

extension MarkTable where Value == Void {
  /// Creates a table of marks alone.
  init() { self.init(empty: ()) }

  /// Whether a mark is in the table.
  func contains(_ mark: UInt64) -> Bool { self[mark] != nil }

  /// Inserts a mark. Returns whether it is new.
  @discardableResult
  mutating func insert(_ mark: UInt64) -> Bool { set(mark, ()) }
}

extension MarkTable: Sendable where Value: Sendable {}
