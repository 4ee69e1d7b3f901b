import HeapModule
import Packets

/// Rows that wait in memory, lowest number first: a heap of numbers and one buffer of octets.
struct WaitingRows: ~Copyable {
  private struct Entry: Comparable {
    var number: Int
    var start: Int
    var length: Int

    /// The range of the row in `octets`.
    var range: Range<Int> { start..<start + length }

    static func < (a: Entry, b: Entry) -> Bool { a.number < b.number }
  }

  private var heap = Heap<Entry>()
  private var octets = OctetBuffer(capacity: 0)
  /// Octets of rows that are still in the heap. All others are garbage until `compact`.
  private var liveLength = 0

  /// Whether no row waits.
  var isEmpty: Bool { heap.isEmpty }
  /// The lowest number.
  var first: Int? { heap.min?.number }
  /// Memory in use, in octets.
  var memory: Int { octets.count + heap.count * MemoryLayout<Entry>.stride }
  /// Whether more than half of the octets are garbage.
  var isMostlyGarbage: Bool { octets.count > liveLength * 2 }

  /// Adds a row.
  mutating func add(_ number: Int, _ row: RawSpan) {
    heap.insert(Entry(number: number, start: octets.count, length: row.byteCount))
    octets.append(row)
    liveLength += row.byteCount
  }

  /// Removes the row with the lowest number, and appends it to `file`. There must be one.
  mutating func writeFirst(to file: OutputFile) throws(ReportError) {
    let entry = heap.removeMin()
    liveLength -= entry.length
    try octets.withOctets { all throws(ReportError) in try file.append(all.extracting(entry.range)) }
    if heap.isEmpty { octets.removeAll() }
  }

  /// Frees the octets of removed rows.
  mutating func compact() {
    var kept = OctetBuffer(capacity: liveLength)
    var entries = heap.unordered
    for index in entries.indices {
      let entry = entries[index]
      entries[index].start = kept.count
      octets.withOctets { kept.append($0.extracting(entry.range)) }
    }
    heap = Heap(entries)
    octets = kept
  }

  /// Whether more than half of the rows have numbers beyond `last`.
  func mostAreBeyond(_ last: Int) -> Bool {
    var beyond = 0
    for entry in heap.unordered where entry.number > last { beyond += 1 }
    return beyond > heap.count / 2
  }

  /// Removes the rows with numbers beyond `last`, and writes them to `run` in order.
  mutating func write(beyond last: Int, to run: inout SortedRun) throws(ReportError) {
    var kept: [Entry] = []
    for entry in heap.unordered.sorted() {
      guard entry.number > last else {
        kept.append(entry)
        continue
      }
      try octets.withOctets { all throws(ReportError) in
        try run.append(entry.number, all.extracting(entry.range))
      }
      liveLength -= entry.length
    }
    heap = Heap(kept)
    if kept.isEmpty { octets.removeAll() } else { compact() }
  }
}
