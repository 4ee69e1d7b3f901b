/// A queue of small values that takes no memory while it is empty, and little when it has few.
///
/// The smallest `Deque` takes several times as much, and most connections have one or two elements.
struct IndexRing<Element> {
  private var ring: [Element] = []
  private var head: Int32 = 0
  private var length: Int32 = 0

  @inline(__always)
  var count: Int { Int(length) }

  @inline(__always)
  var isEmpty: Bool { length == 0 }

  /// Octets that it takes on the heap; `grow` fills all allocated slots.
  @inline(__always)
  var memory: Int { ring.isEmpty ? 0 : ring.count &* MemoryLayout<Element>.stride &+ 48 }

  /// The element at an index, the oldest at 0.
  subscript(index: Int) -> Element {
    @inline(__always) get { ring[slot(index)] }
    @inline(__always) _modify { yield &ring[slot(index)] }
  }

  @inline(__always)
  private func slot(_ index: Int) -> Int {
    let slot = Int(head) &+ index
    return slot < ring.count ? slot : slot &- ring.count
  }

  /// Adds an element as the newest.
  @inline(__always)
  mutating func append(_ element: Element) {
    guard Int(length) < ring.count else { return grow(element) }
    length += 1
    ring[slot(Int(length) - 1)] = element
  }

  @inline(never)
  private mutating func grow(_ element: Element) {
    var larger: [Element] = []
    larger.reserveCapacity(max(2 * count, 2))
    for index in 0..<count { larger.append(self[index]) }
    larger.append(element)
    length += 1
    while larger.count < larger.capacity { larger.append(element) }
    ring = larger
    head = 0
  }

  /// Removes the oldest element; the ring must not be empty. Large unused room is given back.
  @inline(__always)
  mutating func removeFirst() {
    precondition(length > 0)
    head = Int32(truncatingIfNeeded: slot(1))
    length -= 1
    if ring.count >= 8, count * 4 <= ring.count { shrink() }
  }

  /// Removes the newest element; the ring must not be empty.
  mutating func removeLast() {
    precondition(length > 0)
    length -= 1
  }

  @inline(never)
  private mutating func shrink() {
    var smaller: [Element] = []
    smaller.reserveCapacity(max(2 * count, 2))
    for index in 0..<count { smaller.append(self[index]) }
    let filler = self[0]
    while smaller.count < smaller.capacity { smaller.append(filler) }
    ring = smaller
    head = 0
  }

  /// Gives the memory back if the ring is empty.
  mutating func releaseIfEmpty() { if isEmpty { self = IndexRing() } }
}
