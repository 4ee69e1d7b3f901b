import Foundation

/// Insertions into a dynamic table that were not seen, because their octets were lost.
///
/// Older entries have moved by their number. The lost octets bound it. No field section has pseudo-header fields in
/// wrong places (RFC 9113 §8.3). Senders refer to the same entries again and again, but hardly to entries that they long left unused.
struct HPACKGap {
  /// A possible number of insertions.
  struct Candidate {
    var number: Int
    /// Entries that fields since the gap refer to with it, and that were in use before the gap.
    var hits = 0
    /// Such entries that were not in use.
    var misses = 0

    var weight: Int { hits - misses }
  }

  /// The number of entries that came after them.
  var newer: Int
  /// The possible numbers, in ascending order: one of them at least.
  var candidates: [Candidate]
  /// The largest possible number. There may be more possible ones than candidates.
  var most: Int
  /// The number of the last block before the gap.
  var block: Int32
  /// Whether all older entries that the sender may refer to are known.
  var isOlderComplete: Bool
  /// The indices of older entries, counted from the gap's end, that have told hits and misses.
  var counted: [Int] = []

  /// Whether other numbers than those of the candidates are possible.
  var isOpen: Bool { most > Self.limit }

  /// The maximum number of insertions that are considered. A lost packet seldom holds more.
  static let limit = 384

  /// The largest number that is told from others.
  static let largest = 1 << 30

  /// The fewest octets of a representation that inserts an entry, on average over a gap: an index or a short name, a length, and a value
  /// that is worth an entry.
  static let leastInsertion = 4

  /// The number of blocks after which an entry without use is out of use.
  private static var useSpan: Int32 { 16 }
  /// The number of blocks within which an inserted entry may yet come into use.
  private static var newSpan: Int32 { 2 }

  /// Octets of memory on the heap.
  var memory: Int {
    candidates.capacity * MemoryLayout<Candidate>.stride + counted.capacity * MemoryLayout<Int>.stride
  }

  /// Whether an entry was in use when the gap began.
  func isUsed(_ entry: HPACKDynamicTable.Insertion) -> Bool {
    entry.lastUse > 0 && entry.lastUse > block - Self.useSpan
  }

  /// Notes for a candidate that a field refers to an entry with it.
  mutating func note(_ entry: HPACKDynamicTable.Insertion, at place: Int) {
    if isUsed(entry) {
      candidates[place].hits += 1
    } else if entry.block <= block - Self.newSpan {
      candidates[place].misses += 1
    }
  }

  /// Rules out candidates with which fields refer to entries out of use, while another one's are in use.
  ///
  /// `used` is the number of older entries in use, out of `all`.
  mutating func choose(used: Int, of all: Int) {
    guard let best = candidates.indices.max(by: { candidates[$0].weight < candidates[$1].weight }) else { return }
    let chosen = candidates[best]
    guard chosen.hits >= 3 else { return }
    let others = candidates.filter { $0.number != chosen.number && $0.hits + $0.misses > 0 }
    // Neighbours in the table are often used together. By chance they are hit together, too.
    let sorted = counted.sorted()
    let runs = sorted.indices.reduce(0) { $0 + ($1 > 0 && sorted[$1] == sorted[$1 - 1] + 1 ? 0 : 1) }
    let independent = Double(min(runs, chosen.hits) + chosen.hits) / 2
    let chance = independent * log(Double(all) / Double(max(used, 1))) - log(Double(isOpen ? most : candidates.count))
    if chance - 2.5 * Double(chosen.misses) >= Self.certainty, others.allSatisfy({ $0.weight + 2 <= chosen.weight }) {
      candidates = [chosen]
      most = chosen.number
    } else if chosen.misses == 0 {
      candidates.removeAll { $0.number != chosen.number && $0.hits + 2 <= chosen.hits && $0.misses >= 2 }
    }
  }

  /// The logarithm of the odds that fields do not refer to entries in use by chance.
  private static var certainty: Double { 5 }
}

/// The name of a field, as far as a field section restricts the place of it (RFC 9113 §8.3).
enum FieldNameKind: UInt8 {
  case unknown
  case regular
  case method
  case scheme
  case authority
  case path
  case `protocol`
  case status
  case otherPseudo

  init(_ name: RawSpan) {
    guard name.byteCount > 0, name.octet(0) == ASCII.colon else {
      self = .regular
      return
    }
    switch name.byteCount {
    case 5 where name.matchesExactly(":path", at: 0): self = .path
    case 7 where name.matchesExactly(":method", at: 0): self = .method
    case 7 where name.matchesExactly(":scheme", at: 0): self = .scheme
    case 7 where name.matchesExactly(":status", at: 0): self = .status
    case 9 where name.matchesExactly(":protocol", at: 0): self = .protocol
    case 10 where name.matchesExactly(":authority", at: 0): self = .authority
    default: self = .otherPseudo
    }
  }

  var isPseudo: Bool { rawValue >= Self.method.rawValue }
}

/// The names of a field section in order, and whether peers may send it (RFC 9113 §8.3).
struct FieldOrder {
  /// The purpose of a section.
  enum Kind {
    case request
    case response
    case trailer
  }

  let kind: Kind
  private var seen: UInt16 = 0
  private var hasRegular = false
  /// Unknown fields that may be pseudo-header fields, and those of them that must be.
  private var unknown = 0
  private var unknownPseudo = 0
  private(set) var isPossible = true

  init(_ kind: Kind) { self.kind = kind }

  mutating func take(_ name: FieldNameKind) {
    switch name {
    case .unknown: if !hasRegular { unknown += 1 }
    case .regular: hasRegular = true
    default:
      let isAllowed =
        switch kind {
        case .request: name != .status && name != .otherPseudo
        case .response: name == .status
        case .trailer: false
        }
      unknownPseudo = unknown
      let bit: UInt16 = 1 << UInt16(name.rawValue)
      if !isAllowed || hasRegular || seen & bit != 0 { isPossible = false }
      seen |= bit
      if seen.nonzeroBitCount + unknownPseudo > (kind == .request ? 5 : 1) { isPossible = false }
    }
  }

  /// Whether the section is possible with its end. A CONNECT has no scheme and no path; `mayBeConnect` is false for known other methods.
  func isPossible(asWhole mayBeConnect: Bool) -> Bool {
    guard isPossible else { return false }
    func lacks(_ name: FieldNameKind) -> Int { seen & 1 << UInt16(name.rawValue) == 0 ? 1 : 0 }
    return switch kind {
    case .request:
      lacks(.method) + (mayBeConnect ? 0 : lacks(.scheme) + lacks(.path)) <= unknown
    case .response: lacks(.status) <= unknown
    case .trailer: true
    }
  }
}
