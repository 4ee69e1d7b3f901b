/// The known part of one direction's dynamic table (RFC 9204 §3.2).
///
/// An entry has a number that never changes: how many were inserted before it. So an entry stays known, whatever is lost later.
struct QPACKDynamicTable {
  /// An entry. Its parts are in the table's octets, or in the static table.
  struct DynamicEntry {
    var name = CodedText.unknown
    var value = CodedText.unknown
    /// The mark of a known value.
    var valueMark: UInt64 = 0

    /// RFC 9204 §3.2.1: name and value, and 32 octets for the overhead of an entry. Unknown parts count as none.
    var size: Int { (name.length ?? 0) + (value.length ?? 0) + 32 }
  }

  /// The octets of names and values, with some that no entry has any more.
  private(set) var octets: [UInt8] = []
  private var entries = IndexRing<DynamicEntry>()
  /// The number of entries that were inserted before the oldest one here.
  private var first = 0
  private var size = 0
  /// The maximum size that the sender has set.
  private var capacity = 0
  /// The maximum number of octets of the entries that are kept.
  private let keptLimit: Int

  init(keptLimit: Int) { self.keptLimit = keptLimit }

  /// Octets of its memory.
  var memory: Int { octets.capacity + entries.memory }

  /// The number of entries that were ever inserted.
  var inserted: Int { first + entries.count }

  /// An entry by its number; nil if it is unknown, evicted, or yet to come.
  @inline(__always)
  func entry(_ number: Int) -> DynamicEntry? {
    number >= first && number < inserted ? entries[number - first] : nil
  }

  /// Sets the maximum size.
  mutating func resize(to newCapacity: Int) {
    capacity = newCapacity
    evict(toFit: 0)
  }

  /// Adds an entry, whose parts in `source` are copied. Returns false if it is larger than the table, which is an error (RFC 9204 §3.2.2).
  mutating func insert(_ entry: DynamicEntry, _ copied: (CodedText, inout [UInt8]) -> Void) -> Bool {
    var entry = entry
    entry.name = keep(entry.name, copied)
    entry.value = keep(entry.value, copied)
    if entry.value.isKnown, entry.valueMark == 0 {
      let range = entry.value.range
      entry.valueMark =
        entry.value.origin == .staticTable
        ? QPACKStaticTable.octets.withOctets { OctetMark.of($0.extracting(range)) }
        : octets.withOctets { OctetMark.of($0.extracting(range)) }
    }
    let fits = entry.size <= capacity
    evict(toFit: entry.size)
    entries.append(entry)
    size += entry.size
    while size > keptLimit, entries.count > 1 { removeFirst() }
    if octets.count > 2 * keptLimit { compact() }
    return fits
  }

  /// Copies a text from outside of the tables behind the octets.
  private mutating func keep(_ text: CodedText, _ copied: (CodedText, inout [UInt8]) -> Void) -> CodedText {
    guard text.origin == .block || text.origin == .decoded else { return text }
    guard let length = text.length, length <= keptLimit else { return .unknown }
    let start = octets.count
    copied(text, &octets)
    return CodedText(.dynamicTable, start: start, length: length, kind: text.kind)
  }

  private mutating func evict(toFit more: Int) {
    while entries.count > 0, size + more > capacity { removeFirst() }
  }

  private mutating func removeFirst() {
    size -= entries[0].size
    entries.removeFirst()
    first += 1
  }

  /// Frees the octets that no entry has. Entries may share octets, so they take at most `keptLimit` afterwards.
  private mutating func compact() {
    var kept: [UInt8] = []
    for index in 0..<entries.count {
      entries[index].name = moved(entries[index].name, to: &kept)
      entries[index].value = moved(entries[index].value, to: &kept)
    }
    octets = kept
  }

  private func moved(_ text: CodedText, to kept: inout [UInt8]) -> CodedText {
    guard text.origin == .dynamicTable else { return text }
    let start = kept.count
    kept.append(contentsOf: octets[text.range])
    return CodedText(.dynamicTable, start: start, length: text.range.count, kind: text.kind)
  }
}
