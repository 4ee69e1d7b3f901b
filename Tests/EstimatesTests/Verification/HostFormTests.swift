import Testing

@testable import Estimates

/// Hosts have several spellings, and a log may have another one than the wire.
@Suite struct HostFormTests {
  @Test(arguments: [
    ("münchen.example", "xn--mnchen-3ya.example"), ("M\u{dc}NCHEN.example:8080", "xn--mnchen-3ya.example"),
    ("m%C3%BCnchen.example", "xn--mnchen-3ya.example"), ("bücher.example", "xn--bcher-kva.example"),
    ("faß.example", "xn--fa-hia.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ("пример.испытание:443", "xn--e1afmkfd.xn--80akhbyknj4f"), ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
    ("2001:db8::1", "[2001:db8::1]"), ("[2001:DB8::1]:8080", "[2001:db8::1]"), ("fe80::1%eth0", "[fe80::1]"),
    ("[fe80::1%25eth0]", "[fe80::1]"), ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]"), ("192.0.2.1:80", "192.0.2.1"),
    ("a.example:x", "a.example:x"), ("", ""), ("100%.example", "100%.example"), ("%ff%zz", "\u{fffd}%zz"),
  ])
  func spellingsAreOne(_ host: String, _ expected: String) {
    let expected = expected.unicodeScalars.allSatisfy(\.isASCII) ? expected : MatchKey(host: expected, path: "/").host
    #expect(MatchKey(host: host, path: "/").host == expected)
  }

  /// A label that is longer than any label stays, so that a hostile one costs no time.
  @Test func aLongLabelStays() {
    let label = String(repeating: "\u{e9}\u{4e00}", count: 100_000)
    #expect(MatchKey(host: label, path: "/").host == label)
  }
}
