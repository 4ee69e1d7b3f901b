import HTTPReassembly
import Testing

/// `deflate` beyond what holds for every coding.
@Suite struct DeflateTests {
  private let content = text(items: 5)

  @Test func wrongAdlerIsCorrupt() {
    var coded = zlib(content)
    coded[coded.count - 1] ^= 1
    #expect(outcome(of: coded, "deflate") == .failed(.corrupt))
  }

  @Test func everyLevelAndBothWrappersDecode() {
    for level in Int32(0)...9 {
      #expect(outcome(of: zlib(content, level: level), "deflate") == .decoded(octets: content.count))
      #expect(outcome(of: rawDeflate(content, level: level), "deflate") == .decoded(octets: content.count))
    }
  }

  @Test func presetDictionaryIsCorrupt() {
    #expect(outcome(of: [0x78, 0xBB, 1, 2, 3, 4, 5, 6], "deflate") == .failed(.corrupt))
  }

  @Test func gzipMemberIsCorrupt() {
    #expect(outcome(of: gzip(content), "deflate") == .failed(.corrupt))
  }
}
