/// Which slots of a file are in use. A slot that was given back is the next to be taken: what it has is likely to be in
/// memory still.
struct SpillSlots {
  private let count: Int
  private var free: [Int] = []
  /// Slots from here on were never taken.
  private var unused = 0

  /// So many slots, none of which is taken.
  init(count: Int) { self.count = count }

  /// Whether nobody has a slot.
  var areAllFree: Bool { free.count == unused }

  /// Takes a slot, by its number; nil if all are taken.
  mutating func take() -> Int? {
    if let slot = free.popLast() { return slot }
    guard unused < count else { return nil }
    unused += 1
    return unused - 1
  }

  /// Gives a slot back.
  mutating func give(_ slot: Int) {
    free.append(slot)
    if areAllFree {
      free.removeAll(keepingCapacity: true)
      unused = 0
    }
  }
}
