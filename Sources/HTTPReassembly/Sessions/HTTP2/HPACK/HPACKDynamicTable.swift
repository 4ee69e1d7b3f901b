/// The dynamic table of one direction (RFC 7541 §2.3.2), as far as it is known.
///
/// A capture may begin after fields were inserted, or lose some of them. An entry is known by how many were inserted after it, so
/// that what is inserted from then on is found again: only what is older is not known. While it is not known what else is in the
/// table, entries are kept longer than their sender keeps them; nothing refers to those.
struct HPACKDynamicTable {
  /// An entry: where its octets are, and how long it is.
  struct Insertion {
    /// Where its name starts, with its value directly behind; nothing is there when its octets are not kept.
    var start: Int32
    var nameLength: Int32
    var valueLength: Int32
    var isNameKnown: Bool
    var isValueKnown: Bool
    /// The mark of its value, where that is known: an octet may name it again and again.
    var valueMark: UInt64 = 0

    /// `RFC 7541 §4.1`: name and value, and 32 more for what an entry costs its holder.
    var size: Int { Int(nameLength) + Int(valueLength) + 32 }
    /// Octets of it that are kept.
    var kept: Int { (isNameKnown ? Int(nameLength) : 0) + (isValueKnown ? Int(valueLength) : 0) }
  }

  /// Names and values of the entries, the oldest first.
  private(set) var octets: [UInt8] = []
  /// Where the oldest octet that is still an entry's is.
  private var live = 0
  private var entries = IndexRing<Insertion>()
  /// The sum of the entries' sizes, as far as they are known.
  private var size = 0
  /// Whether every entry that the sender may refer to is known of.
  private(set) var isComplete: Bool
  /// The size that the sender keeps to; not known before it says so in a table that is not complete.
  private var maximumSize: Int?
  /// What is kept at most, in octets and entries: a peer may allow more than anybody uses.
  private let keptLimit: Int
  private var entryLimit: Int { keptLimit / 32 }

  /// Octets of a name that another entry's repeats: any real one is shorter, and two octets could stand for thousands.
  static let repeatedNameLimit = 256

  /// Octets of the size of a table of which nothing has been said (RFC 9113 §6.5.2).
  static let defaultSize = 4096

  init(isComplete: Bool, keptLimit: Int) {
    self.isComplete = isComplete
    self.keptLimit = keptLimit
    maximumSize = isComplete ? Self.defaultSize : nil
  }

  /// Octets of memory that it takes.
  var memory: Int { octets.capacity + entries.memory }

  /// Entries that are known of.
  var count: Int { entries.count }

  /// Octets that are as good as gone are given back: positions of texts are good until then.
  mutating func compact() {
    guard live > 4096, live > octets.count - live else { return }
    octets.removeFirst(live)
    for index in 0..<entries.count { entries[index].start -= Int32(live) }
    live = 0
  }

  /// The entry at an index of the dynamic table, from 0 for the newest one; nil when it is not known of.
  @inline(__always)
  func entry(_ index: Int) -> Insertion? {
    index < entries.count ? entries[entries.count - 1 - index] : nil
  }

  /// Nothing is known of it any more: fields were inserted that were not seen.
  mutating func forget() {
    self = HPACKDynamicTable(isComplete: false, keptLimit: keptLimit)
  }

  /// The sender keeps to another size from now on.
  mutating func resize(to newSize: Int) {
    maximumSize = newSize
    evict(toFit: 0)
    // An empty table is known, whatever was in it before.
    if newSize == 0 {
      removeAll()
      isComplete = true
    }
  }

  /// Adds an entry (RFC 7541 §4.4) of a name and a value, which may be unknown; `append` is to add what is known of them to the
  /// octets.
  mutating func insert(
    nameLength: Int, valueLength: Int, isNameKnown: Bool, isValueKnown: Bool, isSizeKnown: Bool,
    _ append: (inout [UInt8]) -> Void
  ) {
    var entry = Insertion(
      start: Int32(octets.count), nameLength: Int32(clamping: nameLength), valueLength: Int32(clamping: valueLength),
      isNameKnown: isNameKnown, isValueKnown: isValueKnown)
    if let maximumSize, isSizeKnown, entry.size > maximumSize {
      // It is no error: the table is empty then.
      removeAll()
      isComplete = true
      return
    }
    // What it has may be an entry's that is evicted by it: its octets stay until the next call of `compact`.
    evict(toFit: entry.size)
    if entry.kept <= keptLimit / 4 {
      append(&octets)
      if isValueKnown {
        let start = Int(entry.start) + (isNameKnown ? nameLength : 0)
        entry.valueMark = octets.withOctets { OctetMark.of($0.extracting(start..<start + valueLength)) }
      }
    } else {
      entry.isNameKnown = false
      entry.isValueKnown = false
    }
    entries.append(entry)
    size += entry.size
    // The size of an entry that is not known cannot be counted on.
    if !isSizeKnown { isComplete = false }
    while octets.count - live > keptLimit || entries.count > entryLimit {
      removeFirst()
      isComplete = false
    }
  }

  private mutating func evict(toFit more: Int) {
    guard let maximumSize else { return }
    while entries.count > 0, size + more > maximumSize { removeFirst() }
  }

  private mutating func removeFirst() {
    size -= entries[0].size
    live = Int(entries[0].start) + entries[0].kept
    entries.removeFirst()
  }

  private mutating func removeAll() {
    entries = IndexRing()
    live = octets.count
    size = 0
  }
}
