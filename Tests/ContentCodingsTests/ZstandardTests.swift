import CZstd
import HTTPReassembly
import Testing

@testable import ContentCodings

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
    let source = SystemContentDecoders(windowMemoryLimit: 24 << 20)
    let coded = zstandardRuns(blocks: 3, windowLog: 24)
    let whole = ContentOutcome.decoded(octets: 3 * 131_072)
    let first = try #require(newDecoder(for: ["zstd"], from: source))
    let second = try #require(newDecoder(for: ["zstd"], from: source))
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
    let source = SystemContentDecoders(windowMemoryLimit: 24 << 20)
    let beginning = Array(zstandardRuns(blocks: 3, windowLog: 24).dropLast())
    for _ in 0..<3 {
      let decoder = source.decoder(for: ["zstd"])
      beginning.withOctets { decoder?.feed($0) }
    }
    let last = decode(beginning, ["zstd"], from: source)
    #expect(last?.outcome == .failed(.truncated))
    #expect(last?.octets.count == 2 * 131_072)
  }

  /// Windows by their logarithm, frames of one segment by their length, and the same with the content's length said.
  private static let headers: [[UInt8]] = {
    let windows = (0...17).flatMap { log in [0, 3, 7].map { UInt8(log << 3 | $0) } }
    let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let lengths = [0, 1, 255, 256, 5_000, 65_791, 1 << 17, 1 << 20, 100 << 20]
    return windows.map { magic + [0x00, $0] } + windows.map { magic + [0x80, $0] + little(70_000, 4) }
      + lengths.filter { $0 < 256 }.map { magic + [0x20, UInt8($0)] }
      + lengths.filter { 256..<65_792 ~= $0 }.map { magic + [0x60] + little($0 - 256, 2) }
      + lengths.map { magic + [0xA0] + little($0, 4) } + lengths.map { magic + [0xE0] + little($0, 8) }
  }()

  /// What is counted before the library allocates is at least what it then has, and not far more.
  @Test func windowIsCountedBeforeItIsThere() throws {
    let bare = freshDecoderLength
    var compared = 0
    for octets in Self.headers {
      let header = octets.dropFirst(4).reduce(into: ZstandardFrameHeader(magic: 0xFD2F_B528)) { header, octet in
        #expect(!header.isWhole)
        header.append(octet)
      }
      #expect(header.isWhole && header.octets == octets)
      let memory = WindowMemory(limit: .max)
      let failure = begin(octets, memory)
      guard header.window <= 1 << 27 else {
        #expect(failure == .beyondLimit && memory.held <= bare)
        continue
      }
      #expect(failure == nil)
      let taken = memory.held - bare
      #expect(taken <= header.buffers && header.buffers - taken <= 2 * (128 << 10) + 2048, "\(octets): \(taken)")
      // Where it does not fit, nothing of it is ever there.
      let small = WindowMemory(limit: bare + header.buffers - 1)
      #expect(begin(octets, small) == .beyondLimit && small.held == 0)
      #expect(begin(octets, WindowMemory(limit: bare + header.buffers)) == nil)
      compared += 1
    }
    #expect(compared > 60)
  }

  /// What the library's decoder takes before it has seen a frame.
  private var freshDecoderLength: Int {
    let decoder = unsafe ZSTD_createDCtx()
    defer { unsafe ZSTD_freeDCtx(decoder) }
    return unsafe ZSTD_sizeof_DCtx(decoder)
  }

  /// Decodes a frame's header and looks at the memory then, in `memory`. The frame's empty decoder is kept until the end.
  private func begin(_ octets: [UInt8], _ memory: WindowMemory) -> ContentFailure? {
    stages.kept.append(ZstandardStage(memory: memory))
    return octets.withOctets { stages.kept[stages.kept.count - 1].decode($0, buffer: OutputBuffer()) { _ in true } }
  }

  private final class Stages { var kept: [ZstandardStage] = [] }
  private let stages = Stages()

  @Test func octetsOfAHeaderMayComeOneByOne() throws {
    for coded in [zstandard(content), zstandardRuns(blocks: 2, windowLog: 17), zstandard([]), zstandard(noise(70_000))]
    {
      let source = SystemContentDecoders()
      let whole = try #require(decode(coded, ["zstd"], from: source))
      let single = try #require(decode(coded, ["zstd"], cuts: 0...coded.count, from: source))
      #expect(whole.outcome == single.outcome && whole.octets == single.octets)
      for length in 1..<min(18, coded.count) {
        #expect(decode(Array(coded.prefix(length)), ["zstd"], from: source)?.outcome == .failed(.truncated))
      }
    }
  }

  @Test func reservedBitOfAHeaderIsCorrupt() {
    #expect(outcome(of: [0x28, 0xB5, 0x2F, 0xFD, 0x08, 0x50, 0, 0, 0], "zstd") == .failed(.corrupt))
  }
}
