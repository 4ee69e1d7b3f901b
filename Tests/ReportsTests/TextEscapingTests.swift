import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// Text from the wire in a cell: valid UTF-8, harmless, and unambiguous.
@Suite struct TextEscapingTests {
  private func cell(_ octets: [UInt8]) -> String {
    var row = CSVRow(redaction: nil)
    row.begin()
    row.text(octets)
    row.end()
    return String(String(decoding: row.octets, as: UTF8.self).dropLast())
  }

  @Test(arguments: [
    ("", ""),
    ("/users/42", "/users/42"),
    ("a b", "a b"),
    ("a,b", "\"a,b\""),
    ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("a\r\nb", "a\\x0d\\x0ab"),
    ("a\\x0d", "a\\\\x0d"),
    ("\u{0}\u{7f}", "\\x00\\x7f"),
    ("\u{1b}]0;title\u{7}", "\\x1b]0;title\\x07"),
    ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
    ("=1,2", "\"'=1,2\""),
    ("+1", "'+1"),
    ("-1", "'-1"),
    ("@SUM(A1)", "'@SUM(A1)"),
    ("\t=1", "'\\x09=1"),
    ("\r=1", "'\\x0d=1"),
    ("＝1", "'＝1"),
    ("＠x", "'＠x"),
    ("'=1", "''=1"),
    ("a=1", "a=1"),
    ("/größe/日本/😀", "/größe/日本/😀"),
    ("a\u{202e}b", "a\\xe2\\x80\\xaeb"),
    ("\u{2066}a\u{2069}", "\\xe2\\x81\\xa6a\\xe2\\x81\\xa9"),
    ("a\u{85}b", "a\\xc2\\x85b"),
    ("a\u{2028}b", "a\\xe2\\x80\\xa8b"),
    ("zero\u{200b}width", "zero\\xe2\\x80\\x8bwidth"),
    ("\u{feff}a", "\\xef\\xbb\\xbfa"),
    ("\u{e0041}", "\\xf3\\xa0\\x81\\x81"),
  ])
  func text(_ text: String, _ expected: String) {
    #expect(cell(Array(text.utf8)) == expected)
  }

  @Test(
    arguments: [
      ([0xff], "\\xff"),
      ([0x61, 0x80, 0x62], "a\\x80b"),
      ([0xc0, 0x80], "\\xc0\\x80"),  // overlong NUL
      ([0xc3], "\\xc3"),  // cut short
      ([0xc3, 0x28], "\\xc3("),
      ([0xe2, 0x80], "\\xe2\\x80"),
      ([0xe0, 0x80, 0xaf], "\\xe0\\x80\\xaf"),  // overlong slash
      ([0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"),  // surrogate
      ([0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"),  // beyond U+10FFFF
      ([0xf0, 0x9f, 0x98], "\\xf0\\x9f\\x98"),
      ([0xef, 0xbc], "\\xef\\xbc"),
    ] as [([UInt8], String)])
  func octetsThatAreNotUTF8(_ octets: [UInt8], _ expected: String) {
    #expect(cell(octets) == expected)
  }

  @Test func whateverComesIsValidAndCanBeTakenBack() throws {
    var generator = SeededRandom(seed: 1)
    let pieces: [[UInt8]] = [
      Array("\\".utf8), Array("x41".utf8), Array("\"".utf8), Array(",".utf8), Array("'".utf8), Array("=".utf8), [0x0d],
      Array("é".utf8), Array("\u{202e}".utf8), Array("日".utf8), [0xe2], [0x80],
    ]
    for _ in 0..<RandomCases.count(2000) {
      var octets: [UInt8] = []
      for _ in 0..<Int.random(in: 0...8, using: &generator) {
        octets +=
          Bool.random(using: &generator)
          ? pieces.randomElement(using: &generator) ?? [] : [UInt8.random(in: 0...255, using: &generator)]
      }
      var row = CSVRow(redaction: nil)
      row.begin()
      row.text(octets)
      row.end()
      let written = try #require(String(validating: row.octets, as: UTF8.self))
      #expect(!written.utf8.dropLast(2).contains { $0 < 0x20 || $0 == 0x7f })
      #expect(Self.taken(back: Array(written.utf8.dropLast(2))) == octets)
    }
  }

  /// Undoes quotes, apostrophe and escapes, as a reader would.
  private static func taken(back cell: [UInt8]) -> [UInt8] {
    var text = cell
    if text.first == UInt8(ascii: "\"") {
      var inner: [UInt8] = []
      var index = 1
      while index < text.count - 1 {
        inner.append(text[index])
        index += text[index] == UInt8(ascii: "\"") ? 2 : 1
      }
      text = inner
    }
    if text.first == UInt8(ascii: "'") { text.removeFirst() }
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] != UInt8(ascii: "\\") {
        result.append(text[index])
        index += 1
      } else if text[index + 1] == UInt8(ascii: "\\") {
        result.append(text[index])
        index += 2
      } else {
        result.append(UInt8(String(decoding: text[index + 2..<index + 4], as: UTF8.self), radix: 16) ?? 0)
        index += 4
      }
    }
    return result
  }
}
