import Packets

/// Rows that wait in memory, lowest number first: a binary heap of numbers beside one array of octets.
package struct WaitingRows: ~Copyable {
  private struct Entry {
    var number: Int
    var start: Int
    var length: Int
  }

  private var heap: [Entry] = []
  private var octets = OctetBuffer(capacity: 0)
  /// Octets of rows that are still in the heap; the others are garbage until `compact`.
  private var liveLength = 0

  /// Whether no row waits.
  package var isEmpty: Bool { heap.isEmpty }
  /// The lowest number.
  package var first: Int? { heap.first?.number }
  /// Memory in use, in octets.
  package var memory: Int { octets.count + heap.count * MemoryLayout<Entry>.stride }
  /// Whether more than half of the octets held belong to rows that are gone.
  package var isMostlyGarbage: Bool { octets.count > liveLength * 2 }

  /// Adds a row.
  package mutating func add(_ number: Int, _ row: RawSpan) {
    heap.append(Entry(number: number, start: octets.count, length: row.byteCount))
    octets.append(row)
    liveLength += row.byteCount
    var child = heap.count - 1
    while child > 0, heap[child].number < heap[(child - 1) / 2].number {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the row with the lowest number away and appends it to `file`. There must be one.
  package mutating func writeFirst(to file: OutputFile) throws(ReportError) {
    let entry = heap[0]
    heap[0] = heap[heap.count - 1]
    heap.removeLast()
    liveLength -= entry.length
    sink()
    try octets.withOctets { all throws(ReportError) in
      try file.append(all.extracting(entry.start..<entry.start + entry.length))
    }
    if heap.isEmpty { octets.removeAll() }
  }

  /// Frees the octets of rows that are gone.
  package mutating func compact() {
    var kept = OctetBuffer(capacity: liveLength)
    for index in heap.indices {
      let entry = heap[index]
      heap[index].start = kept.count
      octets.withOctets { kept.append($0.extracting(entry.start..<entry.start + entry.length)) }
    }
    octets = kept
  }

  /// Takes all rows away and writes them to `file` in the order of their numbers.
  package mutating func writeAll(to file: OutputFile) throws(ReportError) {
    heap.sort { $0.number < $1.number }
    for entry in heap {
      try octets.withOctets { all throws(ReportError) in
        try SortedRun.append(entry.number, all.extracting(entry.start..<entry.start + entry.length), to: file)
      }
    }
    heap.removeAll(keepingCapacity: true)
    octets.removeAll()
    liveLength = 0
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in 2 * parent + 1..<2 * parent + 3 where child < heap.count {
        if heap[child].number < heap[least].number { least = child }
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
