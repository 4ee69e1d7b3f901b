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

/// Elements in blocks that never move. Growing copies nothing, so no element is in memory twice and no room is reserved twice.
///
/// A copy shares all blocks, and gets its own copy of a block when it changes it.
struct BlockArray<Element> {
  private var blocks: [[Element]] = []
  /// The number of elements.
  private(set) var count = 0

  private static var shift: Int { 9 }
  private static var mask: Int { (1 << shift) - 1 }

  init() {}

  var indices: Range<Int> { 0..<count }

  subscript(position: Int) -> Element {
    @inline(__always) _read { yield blocks[position >> Self.shift][position & Self.mask] }
    @inline(__always) _modify { yield &blocks[position >> Self.shift][position & Self.mask] }
  }

  mutating func append(_ element: Element) {
    if count & Self.mask == 0 {
      var block: [Element] = []
      // The first block grows by itself: most runs need a few elements.
      if count > 0 { block.reserveCapacity(Self.mask + 1) }
      blocks.append(block)
    }
    blocks[blocks.count - 1].append(element)
    count += 1
  }

  /// Moves all elements to one array, and frees each block once its elements are there.
  mutating func takeAll() -> [Element] {
    var all: [Element] = []
    all.reserveCapacity(count)
    for index in blocks.indices {
      all.append(contentsOf: blocks[index])
      blocks[index] = []
    }
    blocks = []
    count = 0
    return all
  }
}

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
