import HTTPReassembly
import Testing

@testable import Estimates

/// RFC 3986 §2.1, wherever a path or a query is decoded.
@Suite struct PercentEncodingTests {
  @Test(arguments: [
    ("", ""), ("/a", "/a"), ("%41", "A"), ("%e6%97%A5", "日"), ("100%", "100%"), ("%4", "%4"), ("%%41", "%A"),
    ("%2541", "%41"), ("%zz", "%zz"), ("%+1", "%+1"), ("% 1", "% 1"), ("a%2Fb", "a/b"),
  ])
  func decodes(_ encoded: String, _ decoded: String) {
    #expect(PercentEncoding.decoded(encoded.utf8) == Array(decoded.utf8))
    // A part of something larger has other indices.
    #expect(PercentEncoding.decoded(Array("%41\(encoded)".utf8)[3...]) == Array(decoded.utf8))
  }

  /// What an app logs decoded is the same path; what only looks encoded is not.
  @Test func keysAreThoseOfDecodedPaths() {
    func key(_ path: String) -> MatchKey { MatchKey(host: "a.example", path: path) }
    #expect(MatchKey.decodedQuery("a+b%20c%2B") == "a b c ")
    #expect(key("/caf%C3%A9/") == key("/café"))
    #expect(key("/%+1") != key("/\u{1}"))
    #expect(key("") == key("/"))
  }
}
