/// The known part of one direction's dynamic table (RFC 7541 §2.3.2).
///
/// A capture may begin after fields were inserted, or lose some of them. An entry is known by the number of later
/// insertions. Later entries are therefore found again, and only older ones are unknown. While the rest of the table is
/// unknown, entries are kept longer than their sender keeps them. No field refers to those.
struct HPACKDynamicTable {
  /// An entry: the start and the length of its octets.
  struct Insertion {
    /// The start of its name, with its value directly behind. No octets are there if they are not kept.
    var start: Int32
    var nameLength: Int32
    var valueLength: Int32
    var isNameKnown: Bool
    var isValueKnown: Bool
    /// The mark of a known value. One octet may refer to it again and again.
    var valueMark: UInt64 = 0

    /// RFC 7541 §4.1: name and value, and 32 octets for the overhead of an entry.
    var size: Int { Int(nameLength) + Int(valueLength) + 32 }
    /// The number of its kept octets.
    var kept: Int { (isNameKnown ? Int(nameLength) : 0) + (isValueKnown ? Int(valueLength) : 0) }
  }

  /// Names and values of the entries, the oldest first.
  private(set) var octets: [UInt8] = []
  /// The offset of the oldest octet that still belongs to an entry.
  private var live = 0
  private var entries = IndexRing<Insertion>()
  /// The sum of the entries' known sizes.
  private var size = 0
  /// Whether all entries that the sender may refer to are known.
  private(set) var isComplete: Bool
  /// The sender's size limit; nil in an incomplete table until the sender gives it.
  private var maximumSize: Int?
  /// The maximum number of kept octets, which also limits the entries. A peer may allow more than is ever used.
  private let keptLimit: Int
  private var entryLimit: Int { keptLimit / 32 }

  /// The maximum number of octets of a repeated name. Real names are shorter, and two octets could stand for thousands.
  static let repeatedNameLimit = 256

  /// The default size of a table in octets (RFC 9113 §6.5.2).
  static let defaultSize = 4096

  init(isComplete: Bool, keptLimit: Int) {
    self.isComplete = isComplete
    self.keptLimit = keptLimit
    maximumSize = isComplete ? Self.defaultSize : nil
  }

  /// Octets of its memory.
  var memory: Int { octets.capacity + entries.memory }

  /// The number of known entries.
  var count: Int { entries.count }

  /// Frees unused octets if there are many. Positions of texts are valid until then.
  mutating func compact() {
    guard live > 4096, live > octets.count - live else { return }
    octets.removeFirst(live)
    for index in 0..<entries.count { entries[index].start -= Int32(live) }
    live = 0
  }

  /// The entry at an index of the dynamic table, from 0 for the newest one; nil when it is unknown.
  @inline(__always)
  func entry(_ index: Int) -> Insertion? {
    index < entries.count ? entries[entries.count - 1 - index] : nil
  }

  /// Forgets the table, because fields were inserted unseen.
  mutating func forget() {
    self = HPACKDynamicTable(isComplete: false, keptLimit: keptLimit)
  }

  /// Changes the sender's size limit.
  mutating func resize(to newSize: Int) {
    maximumSize = newSize
    evict(toFit: 0)
    // An empty table is known, regardless of its earlier entries.
    if newSize == 0 {
      removeAll()
      isComplete = true
    }
  }

  /// Adds an entry (RFC 7541 §4.4) of a name and a value, which may be unknown. `append` adds their known parts to the octets.
  mutating func insert(
    nameLength: Int, valueLength: Int, isNameKnown: Bool, isValueKnown: Bool, isSizeKnown: Bool,
    _ append: (inout [UInt8]) -> Void
  ) {
    var entry = Insertion(
      start: Int32(octets.count), nameLength: Int32(clamping: nameLength), valueLength: Int32(clamping: valueLength),
      isNameKnown: isNameKnown, isValueKnown: isValueKnown)
    if let maximumSize, isSizeKnown, entry.size > maximumSize {
      // This is not an error. The table is empty then.
      removeAll()
      isComplete = true
      return
    }
    // Its parts may belong to an entry that it evicts. The evicted octets stay until the next call of `compact`.
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
    // An entry of unknown size makes the total unreliable.
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
