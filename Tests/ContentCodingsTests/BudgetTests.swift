import HTTPReassembly
import TestSupport
import Testing

@testable import ContentCodings

/// What decoding may cost: how much comes out is bounded by how much went in, whatever the octets say.
@Suite struct BudgetTests {
  /// What the first KiB pays for.
  private static let piece = DecodingBudget.pieceLength * Configuration().decodedRatioLimit
  /// One buffer may have been filled for nothing, in each coding of a stack. `br` may have filled its window.
  private static let excess = OutputBuffer.capacity

  /// A few octets that stand for far more, in codings that are not bounded by themselves.
  private static let bombs: [(codings: [String], coded: [UInt8], unseen: Int)] = {
    // A block of 1 MiB of zeros again and again: 1 GiB.
    let (header, block) = gzipOfZeros()
    let large = header + (0..<1024).flatMap { _ in block }
    let twice = gzip(large)
    return [
      (["br"], octets("9fffffff002400e2b14072efff01"), 16 << 20),
      (["zstd"], zstandardRuns(blocks: 9, windowLog: 17), excess),
      (["gzip", "gzip", "gzip"], gzip(twice), 3 * excess),
      (["zstd", "gzip"], gzip(zstandardRuns(blocks: 8192, windowLog: 17)), 2 * excess),
    ]
  }()

  @Test(arguments: bombs.indices)
  func bombMakesWhatItsFirstOctetsPayFor(_ index: Int) throws {
    let (codings, coded, unseen) = Self.bombs[index]
    try #require(coded.count <= DecodingBudget.pieceLength)
    for cuts in [[], Array(0...coded.count)] {
      let source = SystemContentDecoders()
      var allowance = DecodingAllowance(limit: .max, ratio: 0)
      let decoder = try #require(newDecoder(for: codings, from: source))
      coded.withOctets { octets in
        for (start, end) in zip([0] + cuts, cuts + [coded.count]) {
          decoder.feed(octets.extracting(start..<end), within: &allowance)
        }
      }
      #expect(decoder.finish(within: &allowance) == .failed(.beyondLimit))
      #expect(allowance.spent > Self.piece / 2 && allowance.spent <= Self.piece + unseen)
    }
  }

  /// The ratio goes by whole pieces, so that it is the same octet at which decoding stops, wherever packets end.
  @Test(arguments: [(paid: 1, blocks: 8), (paid: 2, blocks: 16), (paid: 3, blocks: 24)])
  func cutsChangeNothing(_ paid: Int, _ blocks: Int) throws {
    // Skipped octets pay as others do. With them the frame ends within the last piece.
    func content(_ blocks: Int) -> [UInt8] {
      let frame = zstandardRuns(blocks: blocks, windowLog: 17)
      return skippableFrame([UInt8](repeating: 0, count: paid * DecodingBudget.pieceLength - frame.count - 8)) + frame
    }
    let whole = ContentOutcome.decoded(octets: blocks << 17)
    let source = SystemContentDecoders()
    for (coded, expected) in [(content(blocks), whole), (content(blocks + 1), .failed(.beyondLimit))] {
      #expect(coded.count == paid * DecodingBudget.pieceLength)
      var cuts: [[Int]] = [[], Array(0...coded.count)]
      cuts += [1, 500, 1023, 1024, 1025, 1400].map { Array(stride(from: $0, to: coded.count, by: $0)) }
      for cuts in cuts { #expect(decode(coded, ["zstd"], cuts: cuts, from: source)?.outcome == expected) }
    }
  }

  /// What gzip makes of zeros, the most that it can make of anything, is within the ratio.
  @Test(arguments: ["gzip", "deflate"])
  func oneCodingOfDeflateIsNeverBeyondTheRatio(_ coding: String) throws {
    let content = [UInt8](repeating: 0, count: 96 << 20)
    let coded = coding == "gzip" ? gzip(content, level: 9) : zlib(content, level: 9)
    // Shorter ones are held, and decoded at once with what the last packet brings.
    #expect(content.count / coded.count > 1000 && coded.count > HeldContent.limit)
    #expect(outcome(of: coded, coding) == .decoded(octets: content.count))
    // Nor when packets end after each 1,400 octets, and each has its own allowance.
    let source = SystemContentDecoders()
    let decoder = try #require(newDecoder(for: [coding], from: source))
    coded.withOctets { octets in
      for start in stride(from: 0, to: octets.byteCount, by: 1400) {
        var allowance = Self.usual
        decoder.feed(octets.extracting(start..<min(start + 1400, octets.byteCount)), within: &allowance)
      }
    }
    #expect(decoder.finish() == .decoded(octets: content.count))
  }

  /// Texts as servers send them, at the highest levels, all in one packet.
  @Test func textsAreFarFromAnyLimit() throws {
    let content = text(items: 80_000)
    for (coding, coded) in [
      ("gzip", gzip(content, level: 9)), ("deflate", zlib(content, level: 9)), ("zstd", zstandard(content, level: 19)),
    ] {
      let source = SystemContentDecoders()
      var allowance = Self.usual
      let decoder = try #require(newDecoder(for: [coding], from: source))
      coded.withOctets { decoder.feed($0, within: &allowance) }
      #expect(decoder.finish(within: &allowance) == .decoded(octets: content.count), "\(content.count / coded.count)")
    }
    let twice = gzip(zstandard(content))
    #expect(outcome(of: twice, "zstd", "gzip") == .decoded(octets: content.count))
  }

  /// One packet's allowance.
  private static var usual: DecodingAllowance {
    DecodingAllowance(limit: Configuration().decodedAtOnceLimit, ratio: Configuration().decodedAtOnceRatio)
  }

  @Test func allowanceStopsWhatOnePacketBrings() throws {
    let coded = gzip([UInt8](repeating: 0, count: 64 << 20), level: 9)
    let source = SystemContentDecoders()
    var allowance = Self.usual
    let decoder = try #require(newDecoder(for: ["gzip"], from: source))
    coded.withOctets { decoder.feed($0, within: &allowance) }
    #expect(decoder.finish(within: &allowance) == .failed(.beyondLimit))
    let most = Configuration().decodedAtOnceLimit + coded.count * Configuration().decodedAtOnceRatio
    #expect(allowance.spent > most - Self.excess && allowance.spent <= most + Self.excess)
  }

  /// Bombs of `br` that make more than their own octets pay for: 16 MiB, and 9 MiB before an error in the same window.
  @Test(arguments: ["9fffffff002400e2b14072efff01", "cfffff47002000e2b18072ef1f39"])
  func allPacketsTogetherHaveAnAllowance(_ bomb: String) throws {
    let bomb = octets(bomb)
    let (limit, ratio) = (64 << 20, 100)
    let source = SystemContentDecoders()
    var allowance = DecodingAllowance(limit: .max, ratio: 0, totalLimit: limit, totalRatio: ratio)
    var most = limit
    func decode(_ coded: [UInt8], _ coding: String) throws -> (outcome: ContentOutcome, spent: Int) {
      let before = allowance.spent
      let decoder = try #require(newDecoder(for: [coding], from: source))
      coded.withOctets { decoder.feed($0, within: &allowance) }
      let outcome = decoder.finish(within: &allowance)
      source.recycle(decoder, codings: [coding])
      return (outcome, allowance.spent - before)
    }
    for _ in 0..<200 {
      _ = try decode(bomb, "br")
      most += bomb.count * ratio
    }
    // The one that went beyond it was noticed when its window was full.
    #expect(allowance.spent > limit && allowance.spent <= most + (17 << 20))
    // Nothing is left, for other codings either: a text is not decoded, and costs nothing.
    let text = zlib(text(items: 2000), level: 9)
    #expect(try decode(text, "deflate") == (.failed(.beyondLimit), 0))
    // Coded octets fill it up again.
    let filling = [UInt8](repeating: 0, count: (16 << 20) / ratio)
    _ = try decode(filling, "deflate")
    #expect(try decode(zstandard(text), "zstd").outcome == .decoded(octets: text.count))
  }

  /// Short contents that one packet completes, too many to be decoded unlooked at: however many threads there are, the same ones
  /// are decoded, and no more.
  @Test(arguments: [0, 1, 3])
  func allowanceHoldsForContentsAsAWhole(threads: Int) throws {
    let length = 31 << 20
    let coded = gzip([UInt8](repeating: 0, count: length), level: 9)
    try #require(coded.count <= HeldContent.limit)
    let source = SystemContentDecoders(threads: threads)
    var allowance = Self.usual
    var outcomes: [ContentOutcome] = []
    var pending: [PendingContent] = []
    for number in 0..<6 {
      // None of them is familiar.
      var coded = coded
      coded[4] = UInt8(number)
      let decoder = try #require(newDecoder(for: ["gzip"], from: source))
      coded.withOctets { decoder.feed($0, within: &allowance) }
      if let content = source.finishLater(decoder, within: &allowance) {
        pending.append(content)
      } else {
        outcomes.append(decoder.finish(within: &allowance))
      }
      source.recycle(decoder, codings: ["gzip"])
    }
    let whole = ContentOutcome.decoded(octets: length)
    #expect(pending.map { source.outcome(of: $0) } == [whole])
    #expect(outcomes == [whole] + Array(repeating: .failed(.beyondLimit), count: 4))
    let most = Configuration().decodedAtOnceLimit + 5 * coded.count * Configuration().decodedAtOnceRatio
    #expect(allowance.spent <= most + 5 * Self.excess + length)
    // What was decoded by this thread is known to who watches the time.
    #expect(allowance.spent >= (threads == 0 ? 2 : 1) * length)
    for content in pending { source.forget(content) }
  }
}
