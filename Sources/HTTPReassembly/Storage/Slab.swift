/// Elements that stay where they are: made and removed in any order, reached by a small number.
///
/// Memory comes in blocks that are never moved, so growing copies nothing and an element is changed where it lies without
/// reference counting or checks of overlapping access. It is unsafe code for that reason: an array would copy all
/// elements each time it grows, hold twice their memory while it does, and ask with each change whether it is shared. Every
/// access asks whether the slot is used, so that a wrong number stops the program and touches nothing.
///
/// A block that is empty is given back, but for a few: what a flood took is there for others when it is over.
///
/// A slab has one owner: a copy of it would be the same elements.
@safe
struct Slab<Element> {
  private static var blockLength: Int { 1024 }
  /// Blocks at most: more than any limit lets a slab need.
  private static var blockLimit: Int { 1 << 14 }
  /// Empty blocks that are kept: elements come and go, and memory is not asked for with each of them.
  private static var spareLimit: Int { 4 }

  /// Elements, and for each whether it is one.
  @unsafe
  private struct Block {
    /// nil while the block is given back.
    var elements: UnsafeMutablePointer<Element>?
    var isUsed: UnsafeMutablePointer<Bool>
    /// Elements in it.
    var count = 0
  }

  /// Gives the memory back when the last owner is gone.
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
          for slot in 0..<Slab.blockLength where unsafe block.isUsed[slot] {
            unsafe (elements + slot).deinitialize(count: 1)
          }
          unsafe elements.deallocate()
        }
        unsafe block.isUsed.deallocate()
      }
      unsafe blocks.deallocate()
    }

    func grow() {
      precondition(count < Slab.blockLimit, "a slab is limited by what it is used for")
      let isUsed = UnsafeMutablePointer<Bool>.allocate(capacity: Slab.blockLength)
      unsafe isUsed.initialize(repeating: false, count: Slab.blockLength)
      unsafe (blocks + count).initialize(to: Block(elements: nil, isUsed: isUsed))
      count += 1
    }
  }

  private let memory: Memory
  private let blocks: UnsafeMutablePointer<Block>
  private var free: [Int32] = []
  /// Slots that were ever used.
  private var end = 0
  /// Blocks that are empty and were not given back.
  private var spare = 0
  /// Elements in it.
  private(set) var count = 0

  /// Blocks that have memory.
  var blockCount: Int { (0..<memory.count).count { unsafe blocks[$0].elements != nil } }

  init() {
    memory = Memory()
    unsafe blocks = memory.blocks
  }

  /// Puts an element in. Returns its number, which may have been another's before.
  @inline(__always)
  mutating func insert(_ element: consuming Element) -> Int {
    count &+= 1
    var index = end
    if let reused = free.popLast() {
      index = Int(reused)
    } else {
      if index == memory.count * Self.blockLength { memory.grow() }
      end = index + 1
    }
    let block = index / Self.blockLength
    if unsafe blocks[block].count == 0 { occupy(block) }
    unsafe blocks[block].count &+= 1
    unsafe blocks[block].isUsed[index % Self.blockLength] = true
    unsafe address(index).initialize(to: element)
    return index
  }

  /// An empty block is about to get an element.
  @inline(never)
  private mutating func occupy(_ block: Int) {
    if unsafe blocks[block].elements == nil {
      unsafe blocks[block].elements = .allocate(capacity: Self.blockLength)
    } else {
      spare &-= 1
    }
  }

  /// Takes an element out.
  mutating func remove(_ index: Int) -> Element {
    check(index)
    let element = unsafe address(index).move()
    vacate(index)
    return element
  }

  /// Takes an element out that nobody needs.
  @inline(__always)
  mutating func discard(_ index: Int) {
    check(index)
    unsafe address(index).deinitialize(count: 1)
    vacate(index)
  }

  /// The slot of an element, which is moved or deinitialized, is another's from now on.
  @inline(__always)
  private mutating func vacate(_ index: Int) {
    let block = index / Self.blockLength
    unsafe blocks[block].isUsed[index % Self.blockLength] = false
    free.append(Int32(truncatingIfNeeded: index))
    count &-= 1
    unsafe blocks[block].count &-= 1
    if unsafe blocks[block].count == 0 { leave(block) }
  }

  /// A block is empty.
  @inline(never)
  private mutating func leave(_ block: Int) {
    guard spare >= Self.spareLimit else { return spare &+= 1 }
    unsafe blocks[block].elements?.deallocate()
    unsafe blocks[block].elements = nil
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
  func contains(_ index: Int) -> Bool {
    guard index >= 0, index < end else { return false }
    return unsafe blocks[index / Self.blockLength].isUsed[index % Self.blockLength]
  }

  /// The numbers of its elements, in ascending order.
  var indices: [Int] {
    (0..<end).filter { index in unsafe blocks[index / Self.blockLength].isUsed[index % Self.blockLength] }
  }

  /// Something of an element, looked at where it lies: reading it by its number can copy all of it.
  @inline(__always)
  func look<Result, Failure: Error>(
    _ index: Int, _ body: (borrowing Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    check(index)
    return try unsafe body(address(index).pointee)
  }

  /// Changes an element where it lies: one look for its slot, however much of it is changed.
  @inline(__always)
  func change<Result>(_ index: Int, _ body: (inout Element) -> Result) -> Result {
    check(index)
    return unsafe body(&address(index).pointee)
  }

  @inline(__always)
  private func check(_ index: Int) {
    precondition(index >= 0 && index < end)
    unsafe precondition(blocks[index / Self.blockLength].isUsed[index % Self.blockLength])
  }

  @inline(__always)
  private func address(_ index: Int) -> UnsafeMutablePointer<Element> {
    // A slot is only looked at when it is used, or is about to be: its block is there.
    unsafe blocks[index / Self.blockLength].elements.unsafelyUnwrapped + index % Self.blockLength
  }
}
