import ContentCodings
import HTTPReassembly
import Testing

/// `zstd` beyond what holds for every coding.
@Suite struct ZstandardTests {
  private let content = text(items: 5)

  @Test func wrongChecksumIsCorrupt() {
    var coded = zstandard(content, hasChecksum: true)
    coded[coded.count - 1] ^= 1
    #expect(outcome(of: coded, "zstd") == .failed(.corrupt))
  }

  @Test func frameAfterJunkIsJunk() {
    let coded = zstandard(content)
    #expect(outcome(of: coded + [0x28, 0xB5, 0] + coded, "zstd") == .decodedWithTrailingJunk(octets: content.count))
  }

  @Test func earlierFormatsAreCorrupt() {
    #expect(outcome(of: [0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0], "zstd") == .failed(.corrupt))
  }

  @Test func skippableFramesAloneDecodeToNothing() {
    #expect(outcome(of: skippableFrame(noise(9)) + skippableFrame([]), "zstd") == .decoded(octets: 0))
  }

  @Test func frameThatNeedsADictionaryIsCorrupt() {
    // A single segment of one octet, without a dictionary and with the one numbered 7.
    #expect(outcome(of: octets("28b52ffd200109000061"), "zstd") == .decoded(octets: 1))
    #expect(outcome(of: octets("28b52ffd21070109000061"), "zstd") == .failed(.corrupt))
  }

  @Test func windowIsLimited() {
    #expect(outcome(of: zstandardRuns(blocks: 3, windowLog: 27), "zstd") == .decoded(octets: 3 * 131_072))
    #expect(outcome(of: zstandardRuns(blocks: 3, windowLog: 28), "zstd") == .failed(.beyondLimit))
  }

  @Test func windowsOfAllMessagesAreLimited() throws {
    var source = SystemContentDecoders(windowMemoryLimit: 24 << 20)
    let coded = zstandardRuns(blocks: 3, windowLog: 24)
    let whole = ContentOutcome.decoded(octets: 3 * 131_072)
    let first = try #require(newDecoder(for: ["zstd"], from: &source))
    let second = try #require(newDecoder(for: ["zstd"], from: &source))
    for _ in 0..<3 {
      coded.withOctets {
        first.feed($0)
        second.feed($0)
      }
      #expect(second.finish() == .failed(.beyondLimit))
      #expect(first.finish() == whole)
      coded.withOctets { second.feed($0) }
      #expect(second.finish() == whole)
    }
  }

  @Test func abandonedDecoderReturnsItsMemory() {
    var source = SystemContentDecoders(windowMemoryLimit: 24 << 20)
    let beginning = Array(zstandardRuns(blocks: 3, windowLog: 24).dropLast())
    for _ in 0..<3 {
      let decoder = source.decoder(for: ["zstd"])
      beginning.withOctets { decoder?.feed($0) }
    }
    let last = decode(beginning, ["zstd"], from: &source)
    #expect(last?.outcome == .failed(.truncated))
    #expect(last?.octets.count == 2 * 131_072)
  }
}
