/// Elements in blocks that are never moved: growing copies nothing, and nothing is in memory twice, or made room for twice over.
///
/// A copy shares all blocks, and gets its own of those that are changed.
struct BlockArray<Element> {
  private var blocks: [[Element]] = []
  /// Elements.
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

  /// All elements in one array; none is left here. Each block is given back when its elements are there.
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
