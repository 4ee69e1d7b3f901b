/// The known part of one direction's dynamic table (RFC 7541 §2.3.2).
///
/// A capture may begin after fields were inserted, or lose some of them. An entry is known by the number of later
/// insertions. Later entries are therefore found again. Older ones have moved by the number of unseen insertions, which the
/// lost octets bound (`HPACKGap`). While the rest of the table is unknown, entries are kept longer than their sender keeps
/// them. No field refers to those.
struct HPACKDynamicTable {
  /// An entry: the start and the length of its octets.
  struct Insertion {
    /// The start of its name, with its value directly behind. No octets are there if they are not kept.
    var start: Int32
    var nameLength: Int32
    var valueLength: Int32
    var isNameKnown: Bool
    var isValueKnown: Bool
    /// The number of the last block that referred to it; 0 if none did.
    var lastUse: Int32 = 0
    /// The number of the block that inserted it.
    var block: Int32 = 0
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
  /// The number of the current block, from 1 on.
  private var block: Int32 = 0
  /// The unseen insertions among the entries; nil without any.
  private var gap: HPACKGap?
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
  var memory: Int { octets.capacity + entries.memory + (gap?.memory ?? 0) }

  /// The number of known entries.
  var count: Int { entries.count }

  /// Frees unused octets if there are many. Positions of texts are valid until then.
  mutating func compact() {
    guard live > 4096, live > octets.count - live else { return }
    octets.removeFirst(live)
    for index in 0..<entries.count { entries[index].start -= Int32(live) }
    live = 0
  }

  /// Begins a field block.
  mutating func startBlock() { block &+= 1 }

  /// The entry at an index of the dynamic table, from 0 for the newest one; nil when it is unknown.
  @inline(__always)
  func entry(_ index: Int) -> Insertion? {
    if let gap, index >= gap.newer { return entry(index - gap.newer, behind: gap) }
    return index < entries.count ? entries[entries.count - 1 - index] : nil
  }

  /// Notes that a field of the current block is the entry at an index.
  @inline(__always)
  mutating func use(_ index: Int) {
    if index < gap?.newer ?? entries.count { entries[entries.count - 1 - index].lastUse = block }
  }

  /// Forgets the table, because any number of fields was inserted unseen.
  mutating func forget() {
    self = HPACKDynamicTable(isComplete: false, keptLimit: keptLimit)
  }

  /// Notes that up to `most` fields were inserted unseen, or the size was changed.
  mutating func lose(most: Int) {
    guard most > 0 else { return }
    let newer = gap?.newer ?? 0
    guard entries.count > newer else { return forget() }
    // The entries between two gaps are lost.
    for _ in 0..<newer { removeLast() }
    let numbers = (gap?.candidates.map { $0.number + newer } ?? [0]).filter { $0 <= HPACKGap.limit }
    guard !numbers.isEmpty else { return forget() }
    let most = min(most, HPACKGap.largest)
    let all = min((gap?.most ?? 0) + newer + most, HPACKGap.largest)
    var isPossible = [Bool](repeating: false, count: HPACKGap.limit + 1)
    for number in numbers {
      for next in number..<min(number + most, HPACKGap.limit) + 1 { isPossible[next] = true }
    }
    gap = HPACKGap(
      newer: 0, candidates: isPossible.indices.filter { isPossible[$0] }.map { HPACKGap.Candidate(number: $0) },
      most: all, block: block,
      isOlderComplete: gap?.isOlderComplete ?? isComplete)
    maximumSize = nil
    isComplete = false
  }

  // MARK: Unseen insertions

  /// Whether it is uncertain which entries older indices refer to.
  var hasGap: Bool { gap != nil }

  /// The number of entries since the gap, and the possible numbers of insertions in it.
  var uncertainty: (newer: Int, candidates: [HPACKGap.Candidate])? { gap.map { ($0.newer, $0.candidates) } }

  /// The entry from before the gap at an index that counts from the gap's end, with `number` insertions in the gap. Nil for one of those.
  ///
  /// - Returns: `isPossible` is false if there can be no such entry.
  func older(_ index: Int, _ number: Int) -> (entry: Insertion?, isPossible: Bool) {
    guard let gap, index >= number else { return (nil, true) }
    let place = entries.count - gap.newer - 1 - (index - number)
    return place >= 0 ? (entries[place], true) : (nil, !gap.isOlderComplete)
  }

  /// Keeps the possible numbers of insertions in the gap. `used` are the indices of the entries that the block refers to.
  mutating func keep(_ candidates: [HPACKGap.Candidate], used: [Int]) {
    guard var gap else { return }
    gap.candidates = candidates
    for index in used where gap.counted.count < HPACKGap.limit && !gap.counted.contains(index) {
      gap.counted.append(index)
      for place in gap.candidates.indices {
        let (entry, isPossible) = older(index, gap.candidates[place].number)
        if let entry { gap.note(entry, at: place) } else if !isPossible { gap.candidates[place].misses += 1 }
      }
    }
    let older = entries.count - gap.newer
    gap.choose(used: (0..<older).reduce(0) { $0 + (gap.isUsed(entries[$1]) ? 1 : 0) }, of: older)
    self.gap = gap
    if gap.candidates.count == 1, !gap.isOpen { close(gap, gap.candidates[0].number) }
    // The sender is in error.
    if gap.candidates.isEmpty { loseOlder() }
  }

  /// Ends the gap, whose number of insertions is known.
  private mutating func close(_ gap: HPACKGap, _ number: Int) {
    let all = entries
    let older = all.count - gap.newer
    entries = IndexRing()
    for index in 0..<older { entries.append(all[index]) }
    let start = gap.newer > 0 ? all[older].start : Int32(octets.count)
    for _ in 0..<number {
      entries.append(
        Insertion(start: start, nameLength: 0, valueLength: 0, isNameKnown: false, isValueKnown: false))
    }
    for index in older..<all.count { entries.append(all[index]) }
    size += 32 * number
    self.gap = nil
    isComplete = gap.isOlderComplete
  }

  /// Forgets the entries from before the gap.
  private mutating func loseOlder() {
    guard let gap else { return }
    self.gap = nil
    for _ in gap.newer..<entries.count { removeFirst() }
    isComplete = false
  }

  /// The known parts of an entry from before the gap, in which all possible numbers of insertions agree.
  @inline(never)
  private func entry(_ index: Int, behind gap: HPACKGap) -> Insertion? {
    guard !gap.isOpen else { return nil }
    var found: Insertion?
    for candidate in gap.candidates {
      guard let entry = older(index, candidate.number).entry else { return nil }
      guard var known = found else {
        found = entry
        continue
      }
      guard known.isNameKnown, entry.isNameKnown, name(known).elementsEqual(name(entry)) else { return nil }
      known.isValueKnown = false
      found = known
    }
    return found
  }

  private func name(_ entry: Insertion) -> ArraySlice<UInt8> {
    octets[Int(entry.start)..<Int(entry.start + entry.nameLength)]
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
      isNameKnown: isNameKnown, isValueKnown: isValueKnown, block: block)
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
    if gap != nil { gap?.newer += 1 }
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
    // Only the entries since the gap are left.
    if let gap, gap.newer >= entries.count { self.gap = nil }
  }

  private mutating func removeLast() {
    size -= entries[entries.count - 1].size
    entries.removeLast()
  }

  private mutating func removeAll() {
    entries = IndexRing()
    gap = nil
    live = octets.count
    size = 0
  }
}
