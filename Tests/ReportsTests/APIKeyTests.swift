import HTTPReassembly
import Testing

@testable import Reports
@testable import Tabular

/// The one order of APIs, which is that of the totals.
@Suite struct APIKeyTests {
  private func key(_ host: String, _ path: String, _ method: String = "") -> APIKey {
    APIKey(host: Array(host.utf8), path: Array(path.utf8), method: Array(method.utf8))
  }

  @Test func hostThenPathThenMethodByOctets() {
    let ordered = [
      key("", ""), key("", "/b"), key("A", "/z"), key("a", ""), key("a", "/"), key("a", "/", "GET"),
      key("a", "/", "PUT"), key("a", "/a"), key("a.b", "/"), key("é", "/"),
    ]
    for (index, mine) in ordered.enumerated() {
      for (otherIndex, other) in ordered.enumerated() { #expect((mine < other) == (index < otherIndex)) }
    }
  }

  /// In the order of the names that were hidden, rows would tell which hidden path comes first.
  @Test func redactedKeysAreOrderedByTheNamesThatAreShown() {
    // A digest that turns the order around.
    let redaction = Redaction { text in text.suffix(4).map { 0xff - $0 } }
    let keys = ["/u/aaaa", "/u/bbbb", "/u/cccc"].map { key("h", $0) }
    let sorted = keys.sorted(redaction: redaction) { $0 }
    #expect(sorted == keys.reversed())
    #expect(sorted.map { $0.redacted(redaction) } == sorted.map { $0.redacted(redaction) }.sorted())
  }

  @Test func textIsEscapedAndNamesWhatWasNotCaptured() {
    #expect(key("h", "/a\u{1b}", "GET").text == "GET h/a\\x1b")
    #expect(key("", "", "GET").text == "(unknown)")
  }
}
