#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
