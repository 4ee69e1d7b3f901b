/// Memory of arrays that nobody needs now, for the next ones: most of what comes needs no new memory then.
struct SpareArrays<Element> {
  private var arrays: [[Element]] = []
  /// How many are kept.
  private let limit: Int
  /// For how many elements at most: larger ones are given back to the system.
  private let capacity: Int

  init(limit: Int, capacity: Int = .max) {
    self.limit = limit
    self.capacity = capacity
  }

  /// An empty array, with memory if some is kept.
  @inline(__always)
  mutating func take() -> [Element] { arrays.popLast() ?? [] }

  /// Keeps the memory of an array, whose elements are gone.
  @inline(__always)
  mutating func giveBack(_ array: consuming [Element]) {
    guard arrays.count < limit, array.capacity > 0, array.capacity <= capacity else { return }
    array.removeAll(keepingCapacity: true)
    arrays.append(array)
  }
}
