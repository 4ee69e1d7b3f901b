/// Elements that stay in place: inserted and removed in any order, found by a small number.
///
/// Memory comes in blocks that never move. So growing copies nothing, and an element changes in place without reference counting or checks
/// of overlapping access. This is why the code is unsafe. An array would copy all elements when it grows, hold twice their memory
/// meanwhile, and test at each change whether it is shared. Every access checks that the slot is used, so a wrong number stops the program
/// and touches nothing.
///
/// New elements fill one block after another. So blocks empty whose elements came together and go together, as those of a flood do, and
/// most empty blocks are given back: their memory is free for others.
///
/// A slab has one owner: a copy would share its elements.
@safe
struct Slab<Element> {
  private static var blockLength: Int { 1024 }
  /// The largest number of blocks, which is more than any limit lets a slab need.
  private static var blockLimit: Int { 1 << 14 }
  /// Empty blocks that are kept, so that elements that come and go do not allocate each time.
  private static var spareLimit: Int { 4 }

  /// Free slots that a block has at least when new elements go there: a quarter, so that a search for one is rare.
  private static var roomyCount: Int { blockLength / 4 }
  /// The link of a used slot.
  private static var used: Int16 { -1 }

  /// Slots for elements. Free ones form a list.
  @unsafe
  private struct Block {
    /// Nil while the block is given back.
    var elements: UnsafeMutablePointer<Element>?
    /// For each slot the next free one, `blockLength` at the end, or `used`.
    var links: UnsafeMutablePointer<Int16>
    /// The first free slot; `blockLength` without one.
    var free: Int16 = 0
    /// The number of elements in the block.
    var count = 0
  }

  /// The blocks, which are freed with the last owner.
  @safe
  private final class Memory {
    let blocks: UnsafeMutablePointer<Block>
    var count = 0

    init() { unsafe blocks = .allocate(capacity: Slab.blockLimit) }

    deinit {
      for index in 0..<count {
        let block = unsafe blocks[index]
        // Each used slot was initialized by `insert` and not yet deinitialized by `remove` or `discard`.
        if let elements = unsafe block.elements {
          for slot in 0..<Slab.blockLength where unsafe block.links[slot] == Slab.used {
            unsafe (elements + slot).deinitialize(count: 1)
          }
          unsafe elements.deallocate()
        }
        unsafe block.links.deallocate()
      }
      unsafe blocks.deallocate()
    }

    func grow() {
      precondition(count < Slab.blockLimit, "a slab is limited by what it is used for")
      let links = UnsafeMutablePointer<Int16>.allocate(capacity: Slab.blockLength)
      for slot in 0..<Slab.blockLength { unsafe (links + slot).initialize(to: Int16(slot + 1)) }
      unsafe (blocks + count).initialize(to: Block(elements: nil, links: links))
      count += 1
    }
  }

  private let memory: Memory
  private let blocks: UnsafeMutablePointer<Block>
  /// The slots of all blocks.
  private var end = Self.blockLength
  /// The block of new elements.
  private var newest = 0
  /// Empty blocks that were not given back.
  private var spare = 0
  /// The number of elements.
  private(set) var count = 0

  /// The number of blocks that have memory.
  private(set) var blockCount = 0

  /// Octets of memory that the elements take, with the free slots between them. A few blocks are kept in any run: free slots in as many
  /// do not count.
  @inline(__always)
  var octets: Int {
    max(count, (blockCount &- Self.spareLimit &- 1) &* Self.blockLength) &* MemoryLayout<Element>.stride
  }

  init() {
    memory = Memory()
    unsafe blocks = memory.blocks
    memory.grow()
  }

  /// Inserts an element. Returns its number, which an earlier element may have had.
  @inline(__always)
  mutating func insert(_ element: consuming Element) -> Int {
    count &+= 1
    if unsafe blocks[newest].count == Self.blockLength { findRoom() }
    if unsafe blocks[newest].count == 0 { occupy(newest) }
    let slot = unsafe blocks[newest].free
    let index = newest &* Self.blockLength &+ Int(slot)
    unsafe blocks[newest].count &+= 1
    unsafe blocks[newest].free = blocks[newest].links[Int(slot)]
    unsafe blocks[newest].links[Int(slot)] = Self.used
    unsafe address(index).initialize(to: element)
    return index
  }

  /// Chooses the block of new elements: the first with room, else one that was given back, else one more.
  @inline(never)
  private mutating func findRoom() {
    var given: Int?
    for block in 0..<memory.count {
      guard unsafe blocks[block].elements != nil else {
        if given == nil { given = block }
        continue
      }
      guard unsafe blocks[block].count > Self.blockLength - Self.roomyCount else { return newest = block }
    }
    newest = given ?? memory.count
    guard newest == memory.count else { return }
    memory.grow()
    end = memory.count * Self.blockLength
  }

  /// Prepares an empty block for an element.
  @inline(never)
  private mutating func occupy(_ block: Int) {
    if unsafe blocks[block].elements == nil {
      unsafe blocks[block].elements = .allocate(capacity: Self.blockLength)
      blockCount &+= 1
    } else {
      spare &-= 1
    }
  }

  /// Removes an element and returns it.
  mutating func remove(_ index: Int) -> Element {
    check(index)
    let element = unsafe address(index).move()
    vacate(index)
    return element
  }

  /// Removes an element and destroys it.
  @inline(__always)
  mutating func discard(_ index: Int) {
    check(index)
    unsafe address(index).deinitialize(count: 1)
    vacate(index)
  }

  /// Frees the slot of an element that was moved or deinitialized.
  @inline(__always)
  private mutating func vacate(_ index: Int) {
    let (block, slot) = (index / Self.blockLength, index % Self.blockLength)
    unsafe blocks[block].links[slot] = blocks[block].free
    unsafe blocks[block].free = Int16(truncatingIfNeeded: slot)
    count &-= 1
    unsafe blocks[block].count &-= 1
    if unsafe blocks[block].count == 0 { leave(block) }
  }

  /// Gives an empty block back, unless it is kept as a spare.
  @inline(never)
  private mutating func leave(_ block: Int) {
    guard spare >= Self.spareLimit else { return spare &+= 1 }
    unsafe blocks[block].elements?.deallocate()
    unsafe blocks[block].elements = nil
    blockCount &-= 1
  }

  subscript(index: Int) -> Element {
    @inline(__always) _read {
      check(index)
      yield unsafe address(index).pointee
    }
    @inline(__always) nonmutating _modify {
      check(index)
      yield unsafe &address(index).pointee
    }
  }

  /// Whether an element has this number.
  @inline(__always)
  func contains(_ index: Int) -> Bool {
    index >= 0 && index < end && isUsed(index)
  }

  /// The numbers of its elements, in ascending order.
  var indices: [Int] {
    (0..<end).filter(isUsed)
  }

  /// Reads a part of an element in place; reading it by its number can copy all of it.
  @inline(__always)
  func look<Result, Failure: Error>(
    _ index: Int, _ body: (borrowing Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    check(index)
    return try unsafe body(address(index).pointee)
  }

  /// Changes an element in place, with one check of its slot for all changes.
  @inline(__always)
  func change<Result>(_ index: Int, _ body: (inout Element) -> Result) -> Result {
    check(index)
    return unsafe body(&address(index).pointee)
  }

  @inline(__always)
  private func check(_ index: Int) {
    precondition(index >= 0 && index < end && isUsed(index))
  }

  @inline(__always)
  private func isUsed(_ index: Int) -> Bool {
    unsafe blocks[index / Self.blockLength].links[index % Self.blockLength] == Self.used
  }

  @inline(__always)
  private func address(_ index: Int) -> UnsafeMutablePointer<Element> {
    // The block has memory: callers use only slots that are used or about to be.
    unsafe blocks[index / Self.blockLength].elements.unsafelyUnwrapped + index % Self.blockLength
  }
}
