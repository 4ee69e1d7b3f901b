#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The evidence that references of a block give for the number of insertions in a gap.
///
/// Senders repeat themselves: a field that was in nearly every block is in the next one, behind the same field. They look their table up, so
/// they insert no field that it has. A reference that falls into the gap says that a field was inserted there, which is unlikely for
/// one that was the same for long.
struct HPACKEvidence {
  /// How well references fit to a number.
  struct Weight {
    /// The logarithm of the likelihood.
    var weight = 0.0
    /// References to entries that the sender was to refer to.
    var hits = 0
  }

  private let entries: IndexRing<HPACKDynamicTable.Insertion>
  private let gap: HPACKGap
  /// The number of entries before the gap.
  private let older: Int
  /// The octets of the entries behind each of them, without those of the gap.
  private var behind: [Int]
  /// Octets of a large entry, by those that were seen.
  private let largeEntry: Int
  private let likelySize: Int
  /// How unlikely it is that a sender refers to an entry behind another name than before.
  private let misplaced: Double
  /// The steadiest entry behind each name, by the name's code.
  private var steadiest: [UInt32: (place: Int, surprise: Double)] = [:]
  /// How unlikely it is that the next block lacks a name, by the name's code.
  private var expected: [UInt32: Double] = [:]
  /// The names behind each other so far.
  private var pairs: Set<UInt64> = []

  init(_ entries: IndexRing<HPACKDynamicTable.Insertion>, _ gap: HPACKGap, likelySize: Int, uses: Int32, moves: Int32) {
    self.entries = entries
    self.gap = gap
    self.likelySize = likelySize
    misplaced = min(log((Double(uses) + 1) / (Double(moves) + 0.5)), Self.mostMisplaced)
    older = entries.count - gap.newer
    behind = [Int](repeating: 0, count: older)
    var sum = 0
    for index in older..<entries.count { sum += entries[index].size }
    let newer = sum
    for place in (0..<older).reversed() {
      behind[place] = sum
      sum += entries[place].size
    }
    largeEntry = older > 0 ? (sum - newer) * 3 / (2 * older) : 64
    let newest = max(older - Self.window, 0)..<older
    // The same field may have left the table and come again.
    var fields: [UInt64: (presence: Int, block: Int32)] = [:]
    var names: [UInt32: (presence: Int, block: Int32)] = [:]
    for place in newest where entries[place].nameCode != 0 {
      let entry = entries[place]
      let mark = entry.valueMark ^ UInt64(entry.nameCode)
      let presence = Int(entry.uses) + 1
      let field = fields[mark] ?? (0, entry.block)
      fields[mark] = (field.presence + presence, min(field.block, entry.block))
      let name = names[entry.nameCode] ?? (0, entry.block)
      names[entry.nameCode] = (name.presence + presence, min(name.block, entry.block))
    }
    // The chance that a block lacks what earlier ones had (by Krichevsky and Trofimov).
    func surprise(_ found: (presence: Int, block: Int32)?) -> Double {
      guard let found else { return 0 }
      let age = Double(max(gap.block &- found.block, 0) &+ 1)
      return log((age + 1) / (age - min(Double(found.presence), age) + 0.5))
    }
    let steady = names.map { (code: $0.key, surprise: surprise($0.value)) }.filter { $0.surprise > Self.steady }
    for field in steady.sorted(by: { ($0.surprise, $0.code) > ($1.surprise, $1.code) }).prefix(Self.expectedLimit) {
      expected[field.code] = field.surprise
    }
    for place in newest where behind[place] + entries[place].size <= likelySize {
      let entry = entries[place]
      guard entry.nameCode != 0 else { continue }
      pairs.insert(UInt64(entry.previous) << 32 | UInt64(entry.nameCode))
      pairs.insert(UInt64(entry.earlier) << 32 | UInt64(entry.nameCode))
      let surprise = surprise(fields[entry.valueMark ^ UInt64(entry.nameCode)])
      guard entry.previous != 0, surprise > steadiest[entry.previous]?.surprise ?? 0 else { continue }
      steadiest[entry.previous] = (place, surprise)
    }
  }

  /// Weighs references of a block with these names, if so many entries were inserted in the gap.
  func weigh(_ references: [HPACKGap.Reference], _ names: [HPACKGap.Name], _ number: Int) -> Weight {
    var found = Weight(weight: -lack(names, number))
    // Fields often change together, so several changes are little less likely than the least likely one.
    var (most, sum) = (0.0, 0.0)
    for reference in references {
      let previous = code(reference.previous, number)
      guard reference.index >= number else {
        let surprise = surprise(behind: previous, number)
        most = max(most, surprise)
        sum += surprise
        continue
      }
      guard let entry = entry(reference.index, number), entry.nameCode != 0 else {
        // It was inserted in an earlier gap, and not used since.
        found.weight -= surprise(behind: previous, number) + Self.unseen
        continue
      }
      let place = older - 1 - (reference.index - number)
      if behind[place] + 32 * number + entry.size > likelySize { found.weight -= Self.evicted }
      if max(entry.lastUse, entry.block) <= gap.block &- Self.useSpan { found.weight -= Self.unused }
      let isSteady = steadiest[previous].map { $0.place == place } ?? true
      if !isSteady { found.weight -= Self.other }
      if previous == 0 || entry.previous == 0 {
        found.weight -= Self.unknown
      } else if entry.previous == previous || entry.earlier == previous {
        found.hits += 1
      } else if pairs.contains(UInt64(previous) << 32 | UInt64(entry.nameCode)) {
        found.hits += 1
      } else {
        found.weight -= max(misplaced, 0)
      }
    }
    found.weight -= most + Self.together * (sum - most)
    return found
  }

  /// How unlikely it is that a block has these names and lacks others. Those of unknown entries may be any.
  private func lack(_ names: [HPACKGap.Name], _ number: Int) -> Double {
    guard !expected.isEmpty, 1...Self.nameLimit ~= names.count else { return 0 }
    let codes = names.map { code($0, number) }
    let lacking = expected.filter { !codes.contains($0.key) }.map(\.value).sorted()
    return lacking.dropLast(codes.count { $0 == 0 }).reduce(0, +)
  }

  private func code(_ name: HPACKGap.Name, _ number: Int) -> UInt32 {
    guard let index = name.older else { return name.code }
    return entry(index, number)?.nameCode ?? 0
  }

  private func entry(_ index: Int, _ number: Int) -> HPACKDynamicTable.Insertion? {
    let place = older - 1 - (index - number)
    return index >= number && place >= 0 ? entries[place] : nil
  }

  /// How unlikely it is that a field behind this name was inserted in the gap. A field that left the table is inserted again.
  private func surprise(behind previous: UInt32, _ number: Int) -> Double {
    guard previous != 0, let (place, surprise) = steadiest[previous] else { return 0 }
    return behind[place] + entries[place].size + number * largeEntry > likelySize ? 0 : surprise
  }

  // Work for a block is bounded: by the entries and the names that are looked at.
  private static var window: Int { 512 }
  private static var expectedLimit: Int { 32 }
  private static var nameLimit: Int { 128 }
  /// The part of the surprise of one change that remains when another one is there.
  private static var together: Double { 0.3 }
  /// The least surprise at which a name counts as expected.
  private static var steady: Double { 1 }
  /// The number of blocks after which an entry without use is out of use.
  private static var useSpan: Int32 { 16 }
  // How unlikely it is that a sender refers to an entry that it evicted, that is out of use, that is not the steadiest one there, that was
  // not seen, or whose place is not known.
  private static var evicted: Double { 5 }
  private static var unused: Double { 1.5 }
  private static var other: Double { 0.5 }
  private static var unseen: Double { 2.5 }
  private static var mostMisplaced: Double { 4 }
  private static var unknown: Double { 0.7 }
}
