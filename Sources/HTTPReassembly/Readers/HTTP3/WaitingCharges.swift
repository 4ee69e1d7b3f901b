import HeapModule

/// Charges of packets that wait until the owners of a stream's octets are known. The one with the least end comes first.
///
/// Octets come in any order, and each frame may make a charge known: a look costs the same however many wait.
struct WaitingCharges {
  private struct Waiting: Comparable {
    let charge: Charge

    static func < (a: Waiting, b: Waiting) -> Bool { a.charge.end < b.charge.end }
    static func == (a: Waiting, b: Waiting) -> Bool { a.charge.end == b.charge.end }
  }

  private var heap = Heap<Waiting>()

  var count: Int { heap.count }

  /// Octets of memory on the heap.
  @inline(__always)
  var memory: Int { MemoryBudget.grown(heap.count) * MemoryLayout<Waiting>.stride }

  mutating func insert(_ charge: Charge) { heap.insert(Waiting(charge: charge)) }

  /// Removes and returns the first charge, if it ends at a position or before.
  @inline(__always)
  mutating func removeFirst(upTo position: StreamPosition) -> Charge? {
    guard let first = heap.min, first.charge.end <= position else { return nil }
    heap.removeMin()
    if heap.isEmpty { heap = Heap() }
    return first.charge
  }
}
