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
    /// The logarithm of its chance before any later block is seen.
    var chance: Double
    /// The logarithm of how well later blocks fit to it: 0 for well, less for worse.
    var fit = 0.0
    /// References to entries that the sender was to refer to at this place of a block.
    var hits = 0

    /// The logarithm of its likelihood.
    var weight: Double { chance + fit }

    mutating func take(_ found: HPACKEvidence.Weight) {
      fit += found.weight
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
  var newer = 0
  /// The possible numbers, in ascending order. There may be none while it is open.
  var candidates: [Candidate] = []
  /// The numbers beyond the candidates; nil if none of those is possible.
  private(set) var others: Candidate?
  /// The octets that were lost last.
  private(set) var loss: HPACKLoss
  /// The chances of the number of insertions before them.
  private let before: HPACKChances
  /// The number of the last block before the gap.
  let block: Int32
  /// Whether all older entries that the sender may refer to are known.
  let isOlderComplete: Bool
  /// The number of blocks that have been weighed.
  private(set) var weighed = 0
  /// The number of blocks since that showed the usual ones.
  private var renewed = 0
  /// Whether the last block that was looked at referred to an entry from before the gap, or in it.
  private(set) var isInUse = true
  /// The indices of older entries, counted from the gap's end, that have been weighed.
  private var counted: [Int] = []

  /// A gap of lost octets, behind another one if there is one.
  init(_ loss: HPACKLoss, _ usual: HPACKLoss.Usual, behind gap: HPACKGap?, block: Int32, isOlderComplete: Bool) {
    self.loss = loss
    self.block = gap?.block ?? block
    self.isOlderComplete = gap?.isOlderComplete ?? isOlderComplete
    before = gap?.chances ?? .none
    spread(usual)
  }

  /// Adds octets that were lost before another block came.
  mutating func add(octets: Int, isCut: Bool, _ usual: HPACKLoss.Usual) {
    loss.octets = min(loss.octets + octets, Self.largest)
    if isCut { loss.cuts += 1 }
    spread(usual)
  }

  /// Notes how many blocks were lost, as far as their streams tell.
  mutating func expect(blocks: Int, _ usual: HPACKLoss.Usual) {
    guard loss.blocks == nil, counted.isEmpty else { return }
    loss.blocks = blocks + loss.cuts
    spread(usual)
  }

  /// Takes the numbers that are possible.
  private mutating func spread(_ usual: HPACKLoss.Usual) {
    let chances = before.adding(loss.chances(usual))
    candidates = []
    for (number, chance) in chances.numbers.enumerated() where chance > 0 {
      candidates.append(Candidate(number: number, chance: log(chance)))
    }
    others = chances.more > 0 ? Candidate(number: HPACKChances.limit + 1, chance: log(chances.more)) : nil
  }

  /// The chances of the number of insertions so far, among them those of the newer entries.
  private var chances: HPACKChances {
    let best = candidates.reduce(others?.weight ?? -.infinity) { max($0, $1.weight) }
    var chances = HPACKChances(numbers: [Double](repeating: 0, count: HPACKChances.limit + 1))
    for candidate in candidates + (others.map { [$0] } ?? []) {
      let chance = exp(candidate.weight - best)
      if candidate.number + newer <= HPACKChances.limit {
        chances.numbers[candidate.number + newer] = chance
      } else {
        chances.more += chance
      }
    }
    return chances
  }

  /// Whether other numbers than those of the candidates are possible.
  var isOpen: Bool { others != nil }

  /// Whether later blocks fit to any number.
  var isPossible: Bool { isOpen || candidates.contains { $0.fit >= worstFit } }

  /// The least possible number.
  var least: Int { candidates.first?.number ?? HPACKChances.limit + 1 }

  /// The number, once it is certain.
  var number: Int? { candidates.count == 1 && !isOpen ? candidates[0].number : nil }

  /// The blocks that are weighed. If they do not tell the number, later ones hardly do.
  private static let blockLimit = 32

  /// The largest number of lost octets that is counted.
  private static let largest = 1 << 30

  /// Octets of memory on the heap.
  var memory: Int {
    candidates.capacity * MemoryLayout<Candidate>.stride + counted.capacity * MemoryLayout<Int>.stride
      + before.numbers.capacity * MemoryLayout<Double>.stride
  }

  /// Takes those references whose indices have not been weighed yet. The same one again tells nothing more.
  mutating func takeNew(_ references: [Reference]) -> [Reference] {
    isInUse = !references.isEmpty
    guard weighed < Self.blockLimit else { return [] }
    let new = references.filter {
      guard counted.count < HPACKChances.limit, !counted.contains($0.index) else { return false }
      counted.append($0.index)
      return true
    }
    if !new.isEmpty { weighed += 1 }
    return new
  }

  /// Takes the chances anew: later blocks show the usual ones, too.
  mutating func renew(_ usual: HPACKLoss.Usual) {
    guard loss.blocks ?? 0 > 0, renewed < Self.blockLimit, candidates.contains(where: mayBeChosen) else { return }
    renewed += 1
    let chances = before.adding(loss.chances(usual))
    for place in candidates.indices { candidates[place].chance = log(chances.numbers[candidates[place].number]) }
    choose()
  }

  /// Weighs all numbers by references of a block.
  mutating func weigh(_ new: [Reference], _ names: [Name], _ evidence: HPACKEvidence) {
    for place in candidates.indices { candidates[place].take(evidence.weigh(new, names, candidates[place].number)) }
    if let number = others?.number { others?.take(evidence.weigh(new, names, number)) }
    choose()
  }

  /// Chooses a candidate if all others together are too unlikely.
  private mutating func choose() {
    guard let chosen = candidates.max(by: { $0.weight < $1.weight }) else { return }
    guard mayBeChosen(chosen) else { return }
    let all = candidates.reduce(others.map { exp($0.weight - chosen.weight) } ?? 0) {
      $0 + exp($1.weight - chosen.weight)
    }
    guard all - 1 < exp(-Self.certainty) else { return }
    candidates = [chosen]
    others = nil
  }

  /// Whether most references fit to a number.
  private func mayBeChosen(_ candidate: Candidate) -> Bool { 2 * candidate.hits >= max(counted.count, 1) }

  /// The logarithm of the odds at which a number counts as certain.
  private static var certainty: Double { 7 }
  /// A number to which later blocks fit worse than this is wrong: each reference may fit a little badly.
  private var worstFit: Double { -4 - 1.5 * Double(counted.count) }
}

/// The chance of each number of insertions that were not seen.
struct HPACKChances {
  /// The chances of 0 and more.
  var numbers: [Double]
  /// The chance of a number beyond `limit`.
  var more = 0.0

  /// The largest number that is told from others. A lost packet seldom holds more.
  static let limit = 384

  /// No insertion for certain.
  static var none: HPACKChances { HPACKChances(numbers: [1]) }

  init(numbers: [Double], more: Double = 0) {
    self.numbers = numbers
    self.more = more
  }

  /// The chances of `expected` insertions on average and `most` at most.
  ///
  /// Numbers beyond the expected one become less and less likely. A share of losses is `unusual`: there are many more.
  init(expected: Double, most: Int, unusual: Double) {
    let share = unusual
    let large = 2 * expected + 3
    var usual = (1 - share) * exp(-expected)
    var more = share / (1 + large)
    var left = 1.0
    numbers = []
    for number in 0...min(most, Self.limit) {
      numbers.append(usual + more)
      left -= usual + more
      usual *= expected / Double(number + 1)
      more *= large / (1 + large)
    }
    self.more = most > Self.limit ? max(left, more) : 0
  }

  /// The chances of the sums of two numbers.
  func adding(_ other: HPACKChances) -> HPACKChances {
    let all = numbers.reduce(0, +)
    var sum = HPACKChances(
      numbers: [Double](repeating: 0, count: min(numbers.count + other.numbers.count - 1, Self.limit + 1)),
      more: more + all * other.more)
    for (number, chance) in numbers.enumerated() where chance > 0 {
      for next in other.numbers.indices {
        if number + next < sum.numbers.count {
          sum.numbers[number + next] += chance * other.numbers[next]
        } else {
          sum.more += chance * other.numbers[next]
        }
      }
    }
    return sum
  }
}

/// Octets of a direction that were lost without a whole block in between.
struct HPACKLoss {
  /// The usual blocks of a direction.
  struct Usual {
    /// Insertions for each octet of a block.
    var perOctet: Double
    /// Insertions for each block.
    var perBlock: Double
    /// Octets of a block.
    var length: Int
    /// Recent blocks by their numbers of insertions, fewer the older they are.
    var recent: SIMD16<Float>

    /// The chances of the number of insertions in lost blocks, with so many expected in all.
    func chances(blocks: Int, expected: Double) -> HPACKChances {
      let count = Double(recent.sum()) + HPACKLoss.ownBlocks
      var one = HPACKChances(expected: expected / Double(blocks), most: Self.most, unusual: 0)
      for number in one.numbers.indices {
        one.numbers[number] = (one.numbers[number] * HPACKLoss.ownBlocks + Double(recent[number])) / count
      }
      one.more = 0
      return (1..<blocks).reduce(one) { all, _ in all.adding(one) }
    }

    /// The largest number of insertions of a block that is told from larger ones.
    static let most = 15
  }

  /// The number of them.
  var octets: Int
  /// The last block before them.
  let block: Int32
  /// The blocks that were cut.
  var cuts: Int
  /// The lost blocks and those that were cut, as far as the numbers of their streams tell.
  var blocks: Int?

  /// The largest possible number of insertions in them.
  var most: Int { octets / Self.leastInsertion + (octets % Self.leastInsertion > 0 ? 1 : 0) }

  /// The fewest octets of a representation that inserts an entry, on average over a gap: an index or a short name, a length, and a value
  /// that is worth an entry.
  private static let leastInsertion = 4

  /// The chances of the number of insertions in them.
  func chances(_ usual: Usual) -> HPACKChances {
    let byOctets = Double(octets) * usual.perOctet
    guard let blocks else { return HPACKChances(expected: byOctets, most: most, unusual: Self.unexpected) }
    // Trailers are rare, and no other block comes without a new stream.
    guard blocks > 0 else { return HPACKChances(expected: Self.unexpected, most: most, unusual: Self.unexpected) }
    let byBlocks = Double(blocks) * usual.perBlock
    if isLarge(usual) {
      return HPACKChances(
        expected: max(min(byOctets, byBlocks), Self.largeExpectation), most: most, unusual: Self.unexpected)
    }
    let expected = min(byOctets, byBlocks)
    var chances = HPACKChances(expected: expected, most: most, unusual: Self.unexpected)
    guard blocks <= Self.blockLimit else { return chances }
    let recent = usual.chances(blocks: blocks, expected: expected).numbers
    for number in chances.numbers.indices {
      let other = number < recent.count ? recent[number] * (1 - Self.unlikeRecent) : 0
      chances.numbers[number] = chances.numbers[number] * Self.unlikeRecent + other
    }
    return chances
  }

  /// Whether they are a little more than the lost blocks take usually, so that a change is likely. Many more are content.
  func isLarge(_ usual: Usual) -> Bool {
    guard let blocks else { return true }
    guard blocks > 0 else { return false }
    // A frame's header has 9 octets.
    let more = octets - max(blocks - 1, 0) * (9 + usual.length) - usual.length * 3 / 2 - 4
    return more > 0 && more < Self.leastContent
  }

  // How likely numbers are before any later block is seen. The simulated losses in 14 captures, and in 1,500 dialogues at random,
  // give no wrong field with them.

  /// The octets beyond those of usual blocks that are content rather than other fields.
  private static let leastContent = 200
  /// The least expected number of insertions in a little more octets than usual.
  private static let largeExpectation = 1.5
  /// The share of losses with many more insertions than expected.
  private static let unexpected = 0.01
  /// The share of losses whose blocks are unlike recent ones.
  private static let unlikeRecent = 0.02
  /// The recent blocks that count as much as the expected number does.
  private static let ownBlocks = 4.0
  /// The lost blocks that are looked at one by one.
  private static let blockLimit = 32
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
    case _ where !name.isPseudo: hasRegular = true
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
