#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Insertions into a dynamic table that were not seen, because their octets were lost.
///
/// Older entries have moved by their number. The lost octets bound it. No field section has pseudo-header fields in
/// wrong places (RFC 9113 §8.3). The references of later blocks tell which number it was (`HPACKEvidence`).
struct HPACKGap {
  /// A possible number of insertions.
  struct Candidate {
    var number: Int
    /// The logarithm of how well later blocks fit to it: 0 for well, less for worse.
    var weight = 0.0
    /// References to entries that the sender was to refer to at this place of a block.
    var hits = 0

    mutating func take(_ found: HPACKEvidence.Weight) {
      weight += found.weight
      hits += found.hits
    }
  }

  /// The name of a representation of a block.
  struct Name {
    /// Its code; 0 if it is unknown.
    var code: UInt32 = 0
    /// The index of its entry, counted from the gap's end, if that is from before the gap, or in it.
    var older: Int?
  }

  /// A reference of a block to an entry from before the gap, or in it.
  struct Reference {
    /// The index, counted from the gap's end.
    var index: Int
    /// The name before it in the block.
    var previous: Name
  }

  /// The number of entries that came after them.
  var newer: Int
  /// The possible numbers, in ascending order: one of them at least.
  var candidates: [Candidate]
  /// The largest possible number. There may be more possible ones than candidates.
  var most: Int
  /// How many entries were inserted before the octets that were lost last, and how likely that is: one for certain, if nothing was lost
  /// before them.
  var starts: [(number: Int, chance: Double)]
  /// The expected number of insertions in the octets that were lost last.
  var expected: Double
  /// Whether the number of lost blocks is in it.
  var isExpected = false
  /// The octets that were lost last.
  var octets: Int
  /// Whether they are a little more than usual blocks take, so that a change is likely.
  var isLarge = true
  /// A number to which later blocks fit worse than this is not chosen: each reference may fit a little badly.
  private var leastFit: Double { -3 - 0.8 * Double(counted.count) }
  /// A number to which they fit worse than this is wrong.
  var worstFit: Double { -4 - 1.5 * Double(counted.count) }
  /// The octets beyond those of usual blocks that are content rather than other fields.
  static let leastContent = 200
  /// The least expected number of insertions in a little more octets than usual.
  static let largeExpectation = 1.5
  /// The number of the last block before the gap.
  var block: Int32
  /// Whether all older entries that the sender may refer to are known.
  var isOlderComplete: Bool
  /// How well later blocks fit to the numbers beyond the candidates.
  var others = 0.0
  /// The number of blocks that have been weighed.
  private(set) var weighed = 0
  /// The indices of older entries, counted from the gap's end, that have been weighed.
  private var counted: [Int] = []

  init(
    newer: Int, candidates: [Candidate], most: Int, starts: [(number: Int, chance: Double)], expected: Double,
    octets: Int, block: Int32, isOlderComplete: Bool
  ) {
    self.newer = newer
    self.candidates = candidates
    self.most = most
    self.starts = starts
    self.expected = expected
    self.octets = octets
    self.block = block
    self.isOlderComplete = isOlderComplete
  }

  /// Whether other numbers than those of the candidates are possible.
  var isOpen: Bool { most > Self.limit }

  /// The blocks that are weighed. If they do not tell the number, later ones hardly do.
  private static let blockLimit = 32

  /// The maximum number of insertions that are considered. A lost packet seldom holds more.
  static let limit = 384

  /// The largest number that is told from others.
  static let largest = 1 << 30

  /// The fewest octets of a representation that inserts an entry, on average over a gap: an index or a short name, a length, and a value
  /// that is worth an entry.
  static let leastInsertion = 4

  /// Octets of memory on the heap.
  var memory: Int {
    candidates.capacity * MemoryLayout<Candidate>.stride + counted.capacity * MemoryLayout<Int>.stride
      + starts.capacity * 16
  }

  /// Takes those references whose indices have not been weighed yet. The same one again tells nothing more.
  mutating func takeNew(_ references: [Reference]) -> [Reference] {
    guard weighed < Self.blockLimit else { return [] }
    let new = references.filter {
      guard counted.count < Self.limit, !counted.contains($0.index) else { return false }
      counted.append($0.index)
      return true
    }
    if !new.isEmpty { weighed += 1 }
    return new
  }

  /// Chooses a candidate if all others together are too unlikely.
  mutating func choose() {
    let weights = candidates.map { $0.weight + log(chance(of: $0.number)) }
    guard let best = weights.indices.max(by: { weights[$0] < weights[$1] }) else { return }
    let chosen = candidates[best]
    guard 2 * chosen.hits >= max(counted.count, 1), chosen.weight >= leastFit else { return }
    var rest = 0.0
    let isDoubtful = isLarge && chosen.hits < Self.manyHits
    for index in weights.indices where index != best {
      let other = candidates[index]
      let isUnlikely = weights[index] + Self.farAway < weights[best]
      guard isUnlikely || other.hits == 0 || other.weight + Self.difference <= chosen.weight else { return }
      // A few fields may have changed together, however long they were the same.
      let doubt = isDoubtful && other.hits == 0 ? max(-Self.leastDoubt - other.weight, 0) : 0
      rest += exp(weights[index] + doubt - weights[best])
    }
    if isOpen {
      rest += exp(others + log(chance(of: Self.limit + 1, orMore: true)) - weights[best])
    }
    guard rest < exp(isDoubtful ? -Self.doubtfulCertainty : -Self.certainty) else { return }
    candidates = [chosen]
    most = chosen.number
  }

  /// How likely a number is before any later block is seen: numbers beyond the expected one become less and less likely. In some gaps there
  /// are many more.
  private func chance(of number: Int, orMore: Bool = false) -> Double {
    let large = 2 * expected + 3
    return starts.reduce(0) { sum, start in
      let most = Double(number - start.number)
      guard most >= 0 else { return sum }
      let usual = exp(most * log(max(expected, 1e-6)) - expected - lgamma(most + 1))
      let unusual = pow(large / (1 + large), most) * (orMore ? 1 : 1 / (1 + large))
      return sum + start.chance * ((1 - Self.unexpected) * usual + Self.unexpected * unusual)
    }
  }

  /// The most likely numbers of insertions up to the next loss, behind `newer` entries.
  var nextStarts: [(number: Int, chance: Double)] {
    let weights = candidates.map { $0.weight + log(chance(of: $0.number)) }
    let best = weights.max() ?? 0
    let order = weights.indices.sorted { weights[$0] > weights[$1] || weights[$0] == weights[$1] && $0 < $1 }
    let all = weights.reduce(0) { $0 + exp($1 - best) }
    return order.prefix(Self.startLimit).map { (candidates[$0].number + newer, exp(weights[$0] - best) / all) }
  }

  /// The number of numbers that are told from others over a further loss.
  private static var startLimit: Int { 16 }

  /// The logarithm of the odds at which a number counts as certain.
  private static var certainty: Double { 5 }
  private static var doubtfulCertainty: Double { 7 }
  /// The references that are not all likely to change at once.
  private static var manyHits: Int { 6 }
  private static var leastDoubt: Double { 4 }
  /// The least difference of what later blocks tell of two numbers with which both refer to known entries. The expected number alone
  /// decides nothing there.
  private static var difference: Double { 3 }
  /// The difference at which the expected number decides all the same.
  private static var farAway: Double { 9 }
  /// The share of gaps with many more insertions than expected.
  private static var unexpected: Double { 0.005 }
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
