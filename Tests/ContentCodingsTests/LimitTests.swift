import ContentCodings
import HTTPReassembly
import Testing

/// Contents that decode to far more than they are.
@Suite struct LimitTests {
  @Test(arguments: Fixture.all)
  func limitIsExact(_ fixture: Fixture) {
    // Inside stacked codings, what comes out of the earlier stages is shorter than what comes out of the last.
    let length = fixture.decoded.count
    guard length > 0 else { return }
    let enough = SystemContentDecoders(configuration: Configuration(decodedContentLimit: length))
    #expect(decode(fixture.coded, fixture.codings, from: enough)?.outcome == .decoded(octets: length))
    let tooLittle = SystemContentDecoders(configuration: Configuration(decodedContentLimit: length - 1))
    for cuts in [[], Array(0...fixture.coded.count)] {
      #expect(
        decode(fixture.coded, fixture.codings, cuts: cuts, from: tooLittle)?.outcome == .failed(.beyondLimit))
    }
  }

  @Test func bombStopsAtTheLimit() throws {
    // 10 GiB of zeros in 10 MB.
    let (header, block) = gzipOfZeros()
    let source = SystemContentDecoders(configuration: Configuration(decodedContentLimit: 8 << 20))
    let decoder = try #require(newDecoder(for: ["gzip"], from: source))
    var octets = 0
    header.withOctets { decoder.feed($0) }
    block.withOctets { block in
      for _ in 0..<10_240 {
        decoder.feed(block) { octets += $0.byteCount }
      }
    }
    #expect(octets == 8 << 20)
    #expect(decoder.finish() == .failed(.beyondLimit))
  }

  @Test func nestedBombStopsAtTheLimit() throws {
    let inner = gzip([UInt8](repeating: 0, count: 64 << 20))
    let nested = gzip(gzip(inner))
    #expect(nested.count < 1000)
    let limit = Configuration(decodedContentLimit: 1 << 20)
    #expect(outcome(of: nested, "gzip", "gzip", "gzip", configuration: limit) == .failed(.beyondLimit))
    let noRatio = Configuration(ratio: .max)
    #expect(outcome(of: nested, "gzip", "gzip", "gzip", configuration: noRatio) == .decoded(octets: 64 << 20))
  }

  @Test func outerBombStopsAtTheLimit() {
    // The inner coding fails only at its end: a skippable frame makes no output, however long.
    let length = 16 << 20
    let frame = skippableFrame([UInt8](repeating: 0, count: length))
    let limit = Configuration(decodedContentLimit: 1 << 20)
    #expect(outcome(of: gzip(frame), "zstd", "gzip", configuration: limit) == .failed(.beyondLimit))
    #expect(outcome(of: gzip(frame), "zstd", "gzip") == .decoded(octets: 0))
  }

  @Test func runsStopAtTheLimit() {
    let coded = zstandardRuns(blocks: 20_000, windowLog: 20)
    let limit = Configuration(decodedContentLimit: 1 << 20)
    #expect(outcome(of: coded, "zstd", configuration: limit) == .failed(.beyondLimit))
  }

  @Test(arguments: Fixture.all)
  func nothingHappensAfterFailure(_ fixture: Fixture) throws {
    let source = SystemContentDecoders()
    let decoder = try #require(newDecoder(for: fixture.codings, from: source))
    // No coding begins with these.
    let wrong = [UInt8](repeating: 0xFE, count: 16)
    wrong.withOctets { decoder.feed($0) }
    fixture.coded.withOctets { octets in
      for _ in 0..<100 {
        decoder.feed(octets) { _ in Issue.record("octets after a failure") }
      }
    }
    #expect(decoder.finish() == .failed(.corrupt))
    source.recycle(decoder, codings: fixture.codings)
    #expect(decode(fixture.coded, fixture.codings, from: source)?.octets == fixture.decoded)
  }
}
