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
