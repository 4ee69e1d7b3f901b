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
