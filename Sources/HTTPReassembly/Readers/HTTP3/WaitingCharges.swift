/// Charges of packets that wait until the owners of a stream's octets are known. The one with the least end comes first.
///
/// Octets come in any order, and each frame may make a charge known: a look costs the same however many wait.
struct WaitingCharges {
  /// Each one ends no later than the two at twice its index and one or two more.
  private var heap: [Charge] = []

  var count: Int { heap.count }

  /// Octets of memory on the heap.
  var memory: Int { heap.capacity * MemoryLayout<Charge>.stride }

  mutating func insert(_ charge: Charge) {
    heap.append(charge)
    var index = heap.count - 1
    while index > 0, heap[(index - 1) / 2].end > heap[index].end {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes and returns the first charge, if it ends at a position or before.
  @inline(__always)
  mutating func removeFirst(upTo position: StreamPosition) -> Charge? {
    guard let first = heap.first, first.end <= position else { return nil }
    remove()
    return first
  }

  @inline(never)
  private mutating func remove() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    if heap.isEmpty { heap = [] }
    var index = 0
    while 2 * index + 1 < heap.count {
      var least = 2 * index + 1
      if least + 1 < heap.count, heap[least + 1].end < heap[least].end { least += 1 }
      guard heap[least].end < heap[index].end else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
