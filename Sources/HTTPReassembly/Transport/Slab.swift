/// Elements that stay where they are: made and removed in any order, reached by a small number.
///
/// Memory comes in blocks that are never moved, so growing copies nothing and an element is changed in place without
/// reference counting or checks of overlapping access. This is unsafe code's one use in the transport layer: an array
/// would copy all connections each time it grows, and hold twice their memory while it does.
@safe
struct Slab<Element>: ~Copyable {
  private static var blockLength: Int { 1024 }

  private var blocks: [UnsafeMutablePointer<Element>] = unsafe []
  private var isUsed: [Bool] = []
  private var free: [Int32] = []
  /// Elements in it.
  private(set) var count = 0

  init() {}

  deinit {
    // Each used place was initialized by `insert` and not yet by `remove` deinitialized.
    for index in isUsed.indices where isUsed[index] {
      unsafe (blocks[index / Self.blockLength] + index % Self.blockLength).deinitialize(count: 1)
    }
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
  }

  /// Puts an element in. Returns its number, which may have been another's before.
  mutating func insert(_ element: consuming Element) -> Int {
    count += 1
    if let index = free.popLast() {
      isUsed[Int(index)] = true
      unsafe place(Int(index)).initialize(to: element)
      return Int(index)
    }
    let index = isUsed.count
    if unsafe index == blocks.count * Self.blockLength { unsafe blocks.append(.allocate(capacity: Self.blockLength)) }
    isUsed.append(true)
    unsafe place(index).initialize(to: element)
    return index
  }

  /// Takes an element out.
  mutating func remove(_ index: Int) -> Element {
    vacate(index)
    return unsafe place(index).move()
  }

  /// Takes an element out that nobody needs.
  mutating func discard(_ index: Int) {
    vacate(index)
    unsafe place(index).deinitialize(count: 1)
  }

  /// The place of an element is another's from now on: whoever calls this moves or deinitializes the element.
  private mutating func vacate(_ index: Int) {
    precondition(isUsed[index])
    isUsed[index] = false
    free.append(Int32(index))
    count -= 1
  }

  subscript(index: Int) -> Element {
    @inline(__always) _read {
      precondition(isUsed[index])
      yield unsafe place(index).pointee
    }
    @inline(__always) _modify {
      precondition(isUsed[index])
      yield unsafe &place(index).pointee
    }
  }

  /// The numbers of its elements, in ascending order.
  var indices: some Sequence<Int> {
    let isUsed = isUsed
    return isUsed.indices.lazy.filter { isUsed[$0] }
  }

  /// Something of an element, looked at in its place: reading it by its number can copy all of it.
  @inline(__always)
  func look<Result>(_ index: Int, _ body: (borrowing Element) -> Result) -> Result {
    precondition(isUsed[index])
    return unsafe body(place(index).pointee)
  }

  @inline(__always)
  private func place(_ index: Int) -> UnsafeMutablePointer<Element> {
    unsafe blocks[index / Self.blockLength] + index % Self.blockLength
  }
}
