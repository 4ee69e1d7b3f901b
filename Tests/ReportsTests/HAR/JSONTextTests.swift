import Foundation
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// Whatever octets come, what stands between the quotes is a JSON string, and says what they said.
@Suite struct JSONTextTests {
  private func string(_ octets: [UInt8], _ append: ([UInt8], inout [UInt8]) -> Void) throws -> String {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    append(octets, &text)
    text.append(UInt8(ascii: "\""))
    // Nothing that a reader could take for the end of a line, or that hides.
    let invisible = String(decoding: text, as: UTF8.self).unicodeScalars.contains {
      $0.value < 0x20 || 0x7f...0x9f ~= $0.value || 0x2028...0x202e ~= $0.value
    }
    #expect(!invisible)
    let value = try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
    return try #require(value as? String)
  }

  @Test func everyScalarIsItself() throws {
    var scalars = String.UnicodeScalarView()
    for value in (UInt32(1)...0x10ffff) where value % 7 == 1 || value < 0x3000 || 0xfe00...0x1_0100 ~= value {
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    let text = String(scalars)
    let octets = Array(text.utf8)
    #expect(JSONText.isUTF8(octets))
    let result = try string(octets) { JSONText.append(utf8: $0, to: &$1) }
    #expect(Array(result.unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test func everyOctetIsItsCharacterOfLatin1() throws {
    let result = try string(Array(0...255)) { JSONText.append(latin1: $0, to: &$1) }
    #expect(result.unicodeScalars.map(\.value) == Array(0...255))
  }

  @Test func randomOctetsAreUTF8AsTheStandardLibrarySees() {
    var generator = SeededRandom(seed: 12)
    for _ in 0..<RandomCases.count(20_000) {
      let octets = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        [UInt8(0x41), 0xc3, 0xa9, 0xe2, 0x80, 0xa8, 0xf0, 0x9f, 0x98, 0xed, 0xbf, 0xff].randomElement(
          using: &generator)!
      }
      #expect(JSONText.isUTF8(octets) == (String(validating: octets, as: UTF8.self) != nil), "\(octets)")
    }
  }

  @Test(arguments: [
    ("abc", 3, 3), ("ab\u{e9}", 4, 4), ("ab\u{e9}", 3, 2), ("a\u{20ac}", 3, 1), ("a\u{20ac}", 2, 1),
    ("\u{1f600}", 3, 0), ("\u{1f600}", 4, 4), ("", 0, 0),
  ])
  func aCutCharacterIsLeftOut(_ text: String, _ length: Int, _ kept: Int) {
    let octets = Array(text.utf8)
    #expect(JSONText.withoutCutCharacter(Array(octets.prefix(length))) == Array(octets.prefix(kept)))
  }

  @Test func base64IsThatOfFoundation() {
    var generator = SeededRandom(seed: 3)
    for length in 0...70 {
      let octets = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(Base64.text(octets) == Array(Data(octets).base64EncodedString().utf8))
    }
  }

  @Test func timesAreThoseOfFoundation() throws {
    var generator = SeededRandom(seed: 5)
    let formatter = ISO8601DateFormatter()
    let edges: [Int64] = [0, -1, 951_782_399, 951_782_400, 951_868_800, 1_709_164_800, 4_107_542_400, -2_203_891_200]
    for seconds in edges
      + (0..<RandomCases.count(2000)).map({ _ in Int64.random(in: -9_000_000_000...9_000_000_000, using: &generator) })
    {
      let nanoseconds = Int64.random(in: 0..<1_000_000_000, using: &generator)
      var buffer = RowBuffer()
      buffer.appendDateTime(seconds * 1_000_000_000 + nanoseconds)
      let text = String(decoding: buffer.octets, as: UTF8.self)
      let whole = formatter.string(from: Date(timeIntervalSince1970: Double(seconds))).dropLast()
      let fraction = String(String(nanoseconds + 1_000_000_000).dropFirst())
      #expect(text == "\(whole).\(fraction)Z")
    }
  }
}
