/// A queue of which nearly everything is about the newest element: that one lies in the queue itself, and the others in a
/// ring that grows and shrinks with them.
///
/// Not a `Deque`, because that copies a whole element to look at one field of it, and elements here are large. They should be
/// plain values: then nothing is retained for a look either.
struct NewestQueue<Element> {
  /// The newest element; means nothing while the queue is empty.
  var newest: Element
  /// Whether there is no element.
  private(set) var isEmpty = true
  private var ring: [Element] = []
  /// Where the oldest element is in the ring, and how many are there.
  private var head = 0
  private var olderCount = 0

  /// An empty queue; `placeholder` stands where no element is.
  init(placeholder: Element) { newest = placeholder }

  /// How many elements there are.
  var count: Int { isEmpty ? 0 : olderCount + 1 }

  /// Elements beside the newest that there is room for in memory.
  var room: Int { ring.count }

  /// The elements by position, the oldest at 0.
  subscript(index: Int) -> Element {
    @inline(__always) get { index == olderCount ? newest : ring[place(index)] }
  }

  /// Changes the element at a position in its place.
  @inline(__always)
  @discardableResult
  mutating func change<Result>(_ index: Int, _ body: (inout Element) -> Result) -> Result {
    index == olderCount ? body(&newest) : body(&ring[place(index)])
  }

  /// Something of the element at a position, without a copy of it.
  @inline(__always)
  func look<Result>(_ index: Int, _ body: (borrowing Element) -> Result) -> Result {
    index == olderCount ? body(newest) : body(ring[place(index)])
  }

  @inline(__always)
  private func place(_ index: Int) -> Int {
    let place = head + index
    return place < ring.count ? place : place - ring.count
  }

  /// Adds an element, the newest from now on, that `make` makes in its place of whatever is there: to copy one that was written
  /// a moment ago makes the processor wait for it.
  @inline(__always)
  mutating func append(_ make: (inout Element) -> Void) {
    if !isEmpty { moveNewest() }
    make(&newest)
    isEmpty = false
  }

  @inline(never)
  private mutating func moveNewest() {
    if olderCount == ring.count { resize(to: max(2 * olderCount, 2)) }
    ring[place(olderCount)] = newest
    olderCount += 1
  }

  /// Takes the oldest element away, which there must be.
  mutating func removeFirst() {
    precondition(!isEmpty)
    guard olderCount > 0 else {
      isEmpty = true
      return
    }
    head = place(1)
    olderCount -= 1
    // A queue keeps the room that it once needed: much of it is given back.
    if ring.count >= 4, olderCount * 4 <= ring.count { resize(to: olderCount) }
  }

  /// Its state, with that of each element, the newest first.
  mutating func code(_ coder: inout StateCoder, _ element: (inout Element, inout StateCoder) -> Void) {
    coder.flag(&isEmpty)
    if !isEmpty { element(&newest, &coder) }
    var room = ring.count
    coder.integer(&room)
    coder.integer(&olderCount)
    if coder.isReading {
      ring = Array(repeating: newest, count: room)
      head = 0
    }
    for index in stride(from: olderCount - 1, through: 0, by: -1) { element(&ring[place(index)], &coder) }
  }

  private mutating func resize(to length: Int) {
    var resized: [Element] = []
    resized.reserveCapacity(length)
    for index in 0..<olderCount { resized.append(ring[place(index)]) }
    while resized.count < length { resized.append(newest) }
    ring = resized
    head = 0
  }
}
