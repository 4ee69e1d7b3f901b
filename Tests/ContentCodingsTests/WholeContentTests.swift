import ContentCodings
import HTTPReassembly
import TestSupport
import Testing

/// A short gzip content is kept, and decoded as a whole: what comes of it is what comes of it in pieces.
@Suite struct WholeContentTests {
  private let content = text(items: 40)

  /// Good and bad contents, short ones.
  private var contents: [[UInt8]] {
    let coded = gzip(content)
    var contents = [gzipWithFullHeader(content), gzip([]), gzip(content, level: 0), gzip(noise(3000)), coded + coded]
    contents += [coded + [0, 0], coded + [31], coded + [31, 139], coded + [31, 139, 8], [], [31], content]
    contents += (0..<coded.count).map { Array(coded.prefix($0)) }
    // Each bit of the header and of the trailer, and some between.
    let places =
      Array(0..<30) + Array(stride(from: 30, to: coded.count - 8, by: 7)) + Array(coded.count - 8..<coded.count)
    for place in places {
      for bit in 0..<8 {
        var damaged = coded
        damaged[place] ^= 1 << bit
        contents.append(damaged)
      }
    }
    return contents
  }

  private func streamed(_ content: [UInt8], from source: SystemContentDecoders) -> ContentOutcome? {
    decode(content, ["gzip"], from: source)?.outcome
  }

  @Test(arguments: [0, 1, 3])
  func outcomeIsThatOfPieces(threads: Int) throws {
    let source = SystemContentDecoders(threads: threads)
    var compared = 0
    for content in contents {
      let expected = try #require(streamed(content, from: source))
      let decoder = try #require(newDecoder(for: ["gzip"], from: source))
      content.withOctets { octets in
        for start in stride(from: 0, to: octets.byteCount, by: 100) {
          decoder.feed(octets.extracting(start..<min(start + 100, octets.byteCount)))
        }
      }
      guard let outcome = finishLater(decoder, in: source) else {
        #expect(content.isEmpty)
        continue
      }
      #expect(outcome == expected)
      compared += 1
    }
    #expect(compared > 500)
  }

  @Test func limitIsThatOfPieces() throws {
    for limit in [content.count - 1, content.count] {
      let source = SystemContentDecoders(configuration: Configuration(decodedContentLimit: limit))
      let decoder = try #require(newDecoder(for: ["gzip"], from: source))
      gzip(content).withOctets { decoder.feed($0) }
      let expected = limit < content.count ? ContentOutcome.failed(.beyondLimit) : .decoded(octets: content.count)
      #expect(finishLater(decoder, in: source) == expected)
    }
  }

  private func expectDecodedAsItComes(_ coded: [UInt8], _ coding: String, octets: Int) throws {
    let source = SystemContentDecoders()
    let decoder = try #require(newDecoder(for: [coding], from: source))
    coded.withOctets { decoder.feed($0) }
    #expect(finishLater(decoder, in: source) == nil)
    #expect(decoder.finish() == .decoded(octets: octets))
  }

  @Test func largeContentIsDecodedAsItComes() throws {
    try expectDecodedAsItComes(gzip(noise(100_000)), "gzip", octets: 100_000)
  }

  @Test func contentThatGrowsBeyondWhatFitsIsDecoded() throws {
    // 40 to 1: short enough to be kept, too long to come out at once.
    let source = SystemContentDecoders()
    let content = [UInt8](repeating: 7, count: 1 << 20)
    let decoder = try #require(newDecoder(for: ["gzip"], from: source))
    gzip(content).withOctets { decoder.feed($0) }
    #expect(finishLater(decoder, in: source) == .decoded(octets: content.count))
  }

  @Test func otherCodingsAreDecodedAsTheyCome() throws {
    try expectDecodedAsItComes(zlib(content), "deflate", octets: content.count)
  }

  @Test func onceSomebodyLooksItIsDecodedAsItComes() throws {
    let source = SystemContentDecoders()
    let decoder = try #require(newDecoder(for: ["gzip"], from: source))
    var decoded: [UInt8] = []
    let coded = gzip(content)
    Array(coded.prefix(50)).withOctets { decoder.feed($0) }
    Array(coded.dropFirst(50)).withOctets { octets in
      decoder.feed(octets) { $0.append(0..<$0.byteCount, to: &decoded) }
    }
    #expect(decoded == content)
    #expect(finishLater(decoder, in: source) == nil)
    #expect(decoder.finish() == .decoded(octets: content.count))
  }

  /// More than fits, asked for in an order of its own, some twice, while threads decode.
  @Test(arguments: [0, 1, 4])
  func manyAtOnce(threads: Int) throws {
    let source = SystemContentDecoders(threads: threads)
    var random = SeededRandom(seed: 17)
    var waiting: [(PendingContent, Int)] = []
    let contents = (0..<50).map { index in (coded: gzip(text(items: index)), count: text(items: index).count) }
    for turn in 0..<20_000 {
      let (coded, count) = contents[turn % contents.count]
      let decoder = try #require(newDecoder(for: ["gzip"], from: source))
      coded.withOctets { decoder.feed($0) }
      guard let pending = source.finishLater(decoder) else {
        Issue.record("not kept")
        return
      }
      source.recycle(decoder, codings: ["gzip"])
      waiting.append((pending, count))
      while waiting.count > (turn < 15_000 ? 12_000 : 100) {
        let (pending, count) = waiting.remove(at: Int.random(in: 0..<min(8, waiting.count), using: &random))
        if turn.isMultiple(of: 7) { #expect(source.outcome(of: pending) == .decoded(octets: count)) }
        #expect(source.outcome(of: pending) == .decoded(octets: count))
        source.forget(pending)
      }
    }
    for (pending, count) in waiting { #expect(source.outcome(of: pending) == .decoded(octets: count)) }
  }
}
