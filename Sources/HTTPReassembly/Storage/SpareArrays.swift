/// Memory of unused arrays, kept for the next ones: most of them then need no new memory.
struct SpareArrays<Element> {
  private var arrays: [[Element]] = []
  /// The number of arrays that are kept.
  private let limit: Int
  /// The largest capacity that is kept, in elements; larger arrays are given back to the system.
  private let capacity: Int

  init(limit: Int, capacity: Int = .max) {
    self.limit = limit
    self.capacity = capacity
  }

  /// An empty array, with kept memory if there is any.
  @inline(__always)
  mutating func take() -> [Element] { arrays.popLast() ?? [] }

  /// Keeps the memory of an array and drops its elements.
  @inline(__always)
  mutating func giveBack(_ array: consuming [Element]) {
    guard arrays.count < limit, array.capacity > 0, array.capacity <= capacity else { return }
    array.removeAll(keepingCapacity: true)
    arrays.append(array)
  }
}
