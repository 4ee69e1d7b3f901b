import HTTPReassembly
import Testing

/// `gzip` beyond what holds for every coding.
@Suite struct GzipTests {
  private let content = text(items: 5)

  @Test func wrongChecksumIsCorrupt() {
    var coded = gzip(content)
    coded[coded.count - 8] ^= 1
    #expect(outcome(of: coded, "gzip") == .failed(.corrupt))
  }

  @Test func wrongLengthIsCorrupt() {
    var coded = gzip(content)
    coded[coded.count - 4] ^= 1
    #expect(outcome(of: coded, "gzip") == .failed(.corrupt))
  }

  @Test func wrongHeaderChecksumIsCorrupt() {
    var coded = gzipWithFullHeader(content)
    coded[4] ^= 1
    #expect(outcome(of: coded, "gzip") == .failed(.corrupt))
  }

  @Test func plainTextIsCorrupt() {
    #expect(outcome(of: content, "gzip") == .failed(.corrupt))
  }

  @Test func zlibFormatIsCorrupt() {
    #expect(outcome(of: zlib(content), "gzip") == .failed(.corrupt))
  }

  @Test func anotherMemberMustBeGood() {
    let coded = gzip(content)
    #expect(outcome(of: coded + [31, 139, 7, 0, 0], "gzip") == .failed(.corrupt))
    #expect(outcome(of: coded + [31, 139], "gzip") == .failed(.truncated))
    #expect(outcome(of: coded + [31], "gzip") == .failed(.truncated))
  }

  @Test func memberAfterJunkIsJunk() {
    let coded = gzip(content)
    #expect(outcome(of: coded + [0] + coded, "gzip") == .decodedWithTrailingJunk(octets: content.count))
  }

  @Test func manyMembersAddUp() {
    let coded = Array(repeatElement(gzip(content), count: 1000).joined())
    #expect(outcome(of: coded, "gzip") == .decoded(octets: 1000 * content.count))
  }
}
