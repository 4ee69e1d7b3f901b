import HTTPReassembly
import TestSupport
import Testing

@testable import ContentCodings

/// A content that came before is not decoded again, and nobody can tell.
@Suite struct FamiliarContentsTests {
  /// Contents of all kinds, several of which have the same trailer and length.
  private static let contents: [[UInt8]] = {
    var contents: [[UInt8]] = []
    for items in 1...12 {
      let coded = gzip(text(items: items))
      var dated = coded
      dated[5] = 1
      var damaged = coded
      damaged[coded.count / 2] ^= 1
      var wronglySummed = coded
      wronglySummed[coded.count - 8] ^= 1
      contents += [coded, dated, damaged, wronglySummed, coded + [1], Array(coded.dropLast(9)), [31, 139]]
    }
    return contents
  }()

  /// Contents in any order, their outcomes asked for in any order, early and late.
  @Test(arguments: [0, 1, 2], 0..<RandomCases.count(5))
  func outcomeIsThatOfTheOctets(threads: Int, seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let source = SystemContentDecoders(threads: threads)
    let expected = Self.contents.map { decode($0, ["gzip"], from: source)?.outcome }
    var open: [(index: Int, content: PendingContent)] = []
    for _ in 0..<4_000 {
      if open.count < 40, Bool.random(using: &random) || open.isEmpty {
        let index = Int.random(in: 0..<Self.contents.count, using: &random)
        let decoder = try #require(newDecoder(for: ["gzip"], from: source))
        Self.contents[index].withOctets { decoder.feed($0) }
        let content = source.finishLater(decoder)
        open.append((index, try #require(content)))
        source.recycle(decoder, codings: ["gzip"])
      } else {
        let (index, content) = open.remove(at: Int.random(in: open.indices, using: &random))
        #expect(source.outcome(of: content) == expected[index])
        source.forget(content)
      }
    }
  }

  /// More than is remembered: what came of those before is forgotten, and decoded again.
  @Test func memoryHasALimit() {
    var familiar = FamiliarContents()
    let count = 3 * FamiliarContents.octetLimit / 1000
    func content(_ number: Int) -> [UInt8] { (0..<1000).map { UInt8(truncatingIfNeeded: number >> ($0 % 8) + $0) } }
    for number in 0..<count {
      let pending = PendingContent(ticket: number % 7)
      familiar.expect(content(number), as: pending)
      familiar.learn(.decoded(octets: number), of: pending)
    }
    let known = (0..<count).filter { number in
      guard case .known(let outcome) = familiar.outcome(of: content(number)) else { return false }
      #expect(outcome == .decoded(octets: number))
      return true
    }
    #expect(known.last == count - 1 && known.count >= count / 4 && known.count <= count * 2 / 3, "\(known.count)")
  }

  /// A ticket that is used again says nothing of the content that had it before.
  @Test func ticketsAreUsedAgain() {
    var familiar = FamiliarContents()
    let pending = PendingContent(ticket: 0)
    familiar.expect([1], as: pending)
    familiar.learn(nil, of: pending)
    let isKnown = familiar.outcome(of: [1]) != nil
    #expect(!isKnown)
    familiar.expect([2, 2], as: pending)
    familiar.learn(.decoded(octets: 2), of: pending)
    familiar.learn(.decoded(octets: 3), of: pending)
    guard case .known(.decoded(octets: 2)) = familiar.outcome(of: [2, 2]) else {
      Issue.record("not known")
      return
    }
  }
}
