import Shared

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
    /// The meaning of its name.
    var kind = FieldNameKind.unknown
    /// The code of its name.
    var nameCode: UInt32 = 0
    /// The code of the name before it, where a block last referred to it or inserted it.
    var previous: UInt32 = 0
    /// The one that was different from it before; 0 if none was.
    var earlier: UInt32 = 0
    /// The number of the last block that referred to it; 0 if none did.
    var lastUse: Int32 = 0
    /// The number of references to it.
    var uses: Int32 = 0
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
  var entries = IndexRing<Insertion>()
  /// The number of the current block, from 1 on.
  private(set) var block: Int32 = 0
  /// The number of insertions, and the octets of the blocks that they were in.
  private var insertions: Int32 = 0
  private var blockOctets = 0
  /// The insertions of the current block.
  private var blockInsertions = 0
  /// The share of recent blocks with each number of insertions; the first block fills the table, and is none of them.
  private var recent = SIMD16<Float>.zero
  /// The number of references to entries, and of those behind another name than before.
  private(set) var uses: Int32 = 0
  private(set) var moves: Int32 = 0
  /// The sender's size limit that was known last. It is no proof once octets were lost.
  private(set) var likelySize = Self.defaultSize
  /// The unseen insertions among the entries; nil without any.
  var gap: HPACKGap?
  /// The sum of the entries' known sizes.
  private(set) var size = 0
  /// Whether all entries that the sender may refer to are known.
  var isComplete: Bool
  /// The sender's size limit; nil in an incomplete table until the sender gives it.
  var maximumSize: Int? {
    didSet { if let maximumSize { likelySize = maximumSize } }
  }
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

  /// Ends a field block of so many octets.
  @inline(__always)
  mutating func endBlock(octets: Int) {
    blockOctets &+= octets
    if block > 1 {
      recent *= 15 / 16
      recent[min(blockInsertions, HPACKLoss.Usual.most)] += 1
    }
    blockInsertions = 0
  }

  /// The blocks so far.
  var usual: HPACKLoss.Usual {
    HPACKLoss.Usual(
      perOctet: Double(insertions &+ 1) / Double(blockOctets &+ 20),
      perBlock: Double(insertions &+ 1) / Double(block &+ 1), length: blockOctets / max(Int(block), 1), recent: recent)
  }

  /// Counts the sizes of entries that were not seen.
  mutating func addSize(_ octets: Int) { size += octets }

  /// The entry at an index of the dynamic table, from 0 for the newest one; nil when it is unknown.
  @inline(__always)
  func entry(_ index: Int) -> Insertion? {
    if let gap, index >= gap.newer { return entry(index - gap.newer, behind: gap) }
    return index < entries.count ? entries[entries.count - 1 - index] : nil
  }

  /// Takes the known parts of the entry at an index. Returns false if there can be no such entry.
  mutating func find(_ index: Int, _ field: inout CodedField) -> Bool {
    // Its parts are taken where it lies: it is large.
    if gap == nil, index < entries.count {
      Self.take(entries[entries.count - 1 - index], &field)
      return true
    }
    guard let entry = entry(index) else { return !isComplete }
    Self.take(entry, &field)
    return true
  }

  @inline(__always)
  private static func take(_ entry: Insertion, _ field: inout CodedField) {
    field.nameCode = entry.nameCode
    var start = Int(entry.start)
    if entry.isNameKnown {
      field.name = CodedText(.dynamicTable, start: start, length: Int(entry.nameLength), kind: entry.kind)
      start += Int(entry.nameLength)
    }
    guard entry.isValueKnown else { return }
    field.value = CodedText(.dynamicTable, start: start, length: Int(entry.valueLength))
    field.valueMark = entry.valueMark
  }

  /// Notes that a field of the current block is the entry at an index, behind a field whose name has a code.
  @inline(__always)
  mutating func use(_ index: Int, behind previous: UInt32) {
    guard index < gap?.newer ?? entries.count else { return }
    let place = entries.count - 1 - index
    entries[place].lastUse = block
    entries[place].uses &+= 1
    uses &+= 1
    guard entries[place].previous != previous else { return }
    if entries[place].earlier != previous { moves &+= 1 }
    entries[place].earlier = entries[place].previous
    entries[place].previous = previous
  }

  /// Forgets the table, because any number of fields was inserted unseen.
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
    nameCode: UInt32, kind: FieldNameKind, valueMark: UInt64, behind previous: UInt32,
    _ append: (inout [UInt8]) -> Void
  ) {
    var entry = Insertion(
      start: Int32(octets.count), nameLength: Int32(clamping: nameLength), valueLength: Int32(clamping: valueLength),
      isNameKnown: isNameKnown, isValueKnown: isValueKnown, kind: isNameKnown ? kind : .unknown, nameCode: nameCode,
      previous: previous, block: block)
    insertions &+= 1
    blockInsertions &+= 1
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
      entry.valueMark = valueMark
      if isValueKnown, valueMark == 0 {
        let start = Int(entry.start) + (isNameKnown ? nameLength : 0)
        entry.valueMark = octets.withOctets { OctetMark.of($0.extracting(start..<start + valueLength)) }
      }
    } else {
      entry.isNameKnown = false
      entry.isValueKnown = false
      entry.kind = .unknown
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

  mutating func removeFirst() {
    size -= entries[0].size
    live = Int(entries[0].start) + entries[0].kept
    entries.removeFirst()
    // Only the entries since the gap are left.
    if let gap, gap.newer >= entries.count { self.gap = nil }
  }

  mutating func removeLast() {
    size -= entries[entries.count - 1].size
    entries.removeLast()
  }

  mutating func removeAll() {
    entries = IndexRing()
    gap = nil
    live = octets.count
    size = 0
  }
}

// Insertions that were not seen, and the entries from before them (MEASURES §10).

extension HPACKDynamicTable {
  /// Notes that octets of blocks were lost, which inserted fields unseen, or changed the size.
  mutating func lose(octets: Int, isCut: Bool) {
    guard octets > 0 else { return }
    maximumSize = nil
    let isOlderComplete = isComplete
    isComplete = false
    // No block has told anything since the last ones were lost.
    let usual = usual
    if gap?.loss.block == block {
      gap?.add(octets: octets, isCut: isCut, usual)
      return
    }
    leaveOlder()
    let newer = gap?.newer ?? 0
    guard entries.count > newer else { return forget() }
    // The entries between two gaps are lost.
    for _ in 0..<newer { removeLast() }
    let next = HPACKGap(
      HPACKLoss(octets: octets, block: block, cuts: isCut ? 1 : 0), usual, behind: gap, block: block,
      isOlderComplete: isOlderComplete)
    guard !next.candidates.isEmpty else { return forget() }
    gap = next
  }

  /// Forgets the entries from before the gap if they have probably left the table, or the last block did without them.
  private mutating func leaveOlder() {
    guard let gap else { return }
    let older = entries.count - gap.newer
    let newest = (older..<entries.count).reduce(32 * gap.least) { $0 + entries[$1].size }
    if gap.newer > 0, !gap.isInUse || 4 * newest > 3 * likelySize { loseOlder() }
  }

  /// Notes how many blocks were lost last, as far as their streams tell.
  mutating func expect(blocks: Int) {
    let usual = usual
    gap?.expect(blocks: blocks, usual)
  }

  /// Whether it is uncertain which entries older indices refer to.
  var hasGap: Bool { gap != nil }

  /// The entry from before the gap at an index that counts from the gap's end, with `number` insertions in the gap. Nil for one of those.
  ///
  /// - Returns: `isPossible` is false if there can be no such entry.
  func older(_ index: Int, _ number: Int) -> (entry: Insertion?, isPossible: Bool) {
    guard let gap, index >= number else { return (nil, true) }
    let place = entries.count - gap.newer - 1 - (index - number)
    return place >= 0 ? (entries[place], true) : (nil, !gap.isOlderComplete)
  }

  /// Keeps the possible numbers of insertions in the gap. `references` are those of a block to entries from before its end,
  /// and `names` all its names.
  mutating func keep(
    _ candidates: [HPACKGap.Candidate], _ references: [HPACKGap.Reference], _ names: [HPACKGap.Name]
  ) {
    guard var gap else { return }
    gap.candidates = candidates
    let new = gap.takeNew(references)
    if !new.isEmpty {
      // Later blocks lack the same fields for the same reason, so the first one alone counts.
      let names = gap.weighed == 1 ? names : []
      gap.weigh(new, names, HPACKEvidence(entries, gap, likelySize: likelySize, uses: uses, moves: moves))
    }
    if new.isEmpty { gap.renew(usual) }
    self.gap = gap
    // The sender is in error, or has changed the size of the table unseen.
    guard gap.isPossible else { return loseOlder() }
    if let number = gap.number { close(gap, number) }
  }

  /// Ends the gap, whose number of insertions is known.
  private mutating func close(_ gap: HPACKGap, _ number: Int) {
    let all = entries
    let older = all.count - gap.newer
    entries = IndexRing()
    for index in 0..<older {
      entries.append(all[index])
      // Their uses were not counted meanwhile.
      entries[index].block &+= block &- gap.block
      if entries[index].lastUse > 0 { entries[index].lastUse &+= block &- gap.block }
    }
    let start = gap.newer > 0 ? all[older].start : Int32(octets.count)
    for _ in 0..<number {
      entries.append(
        Insertion(
          start: start, nameLength: 0, valueLength: 0, isNameKnown: false, isValueKnown: false, block: gap.block))
    }
    for index in older..<all.count { entries.append(all[index]) }
    addSize(32 * number)
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
  func entry(_ index: Int, behind gap: HPACKGap) -> Insertion? {
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
}

/// The static table of HPACK (RFC 7541, Appendix A): 61 fields that both sides know before the first octet.
enum HPACKStaticTable {
  /// The number of its fields. A larger index refers to the dynamic table (RFC 7541 §2.3.3).
  static let count = 61

  /// Octets of all names and values, in the order of the table.
  static let octets: [UInt8] = HPACKTables.fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }

  /// The places of the fields in `octets`, by their index. The first element stands for index 0, which is invalid.
  static let places: [Place] = {
    var places = [Place(start: 0, nameLength: 0, valueLength: 0, nameCode: 0, kind: .unknown)]
    var start: Int32 = 0
    for field in HPACKTables.fields {
      let place = Place(
        start: start, nameLength: Int32(field.name.utf8.count), valueLength: Int32(field.value.utf8.count),
        nameCode: Array(field.name.utf8).withOctets { FieldNameCode.of($0) },
        kind: Array(field.name.utf8).withOctets { FieldNameKind($0) })
      places.append(place)
      start += place.nameLength + place.valueLength
    }
    return places
  }()

  /// The place of a field: its name, and its value directly behind.
  struct Place {
    var start: Int32
    var nameLength: Int32
    var valueLength: Int32
    /// The code of its name.
    var nameCode: UInt32
    /// The meaning of its name.
    var kind: FieldNameKind
  }
}
