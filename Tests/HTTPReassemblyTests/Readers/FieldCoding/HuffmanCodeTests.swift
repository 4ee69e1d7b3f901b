import Packets
import Shared
import TestSupport
import Testing

@testable import HTTPReassembly

/// Strings of the Huffman code against a reader that takes one bit after another.
@Suite struct HuffmanCodeTests {
  /// The code words by their length and value, with a 1 before them.
  private static let symbols: [Int: Int] = {
    let lengths = HPACKTables.codeLengths
    var symbols: [Int: Int] = [:]
    var (word, length) = (0, 0)
    for symbol in lengths.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
      word <<= Int(lengths[symbol]) - length
      length = Int(lengths[symbol])
      symbols[1 << length | word] = symbol
      word += 1
    }
    return symbols
  }()

  private static let words: [Int: Int] = Dictionary(uniqueKeysWithValues: symbols.map { ($1, $0) })

  /// The text of coded octets; nil for invalid ones (RFC 7541 §5.2).
  private static func text(_ coded: [UInt8]) -> [UInt8]? {
    var text: [UInt8] = []
    var word = 1
    for octet in coded {
      for bit in (0..<8).reversed() {
        word = word << 1 | Int(octet) >> bit & 1
        guard let symbol = symbols[word] else { continue }
        guard symbol < 256 else { return nil }
        text.append(UInt8(symbol))
        word = 1
      }
    }
    let padding = Int.bitWidth - word.leadingZeroBitCount - 1
    return padding < 8 && word == 1 << (padding + 1) - 1 ? text : nil
  }

  private static func coded(_ text: [Int], endingWith padding: Int = 1) -> [UInt8] {
    var octets: [UInt8] = []
    var (bits, count) = (0, 0)
    for symbol in text {
      let word = words[symbol] ?? 1
      let length = Int.bitWidth - word.leadingZeroBitCount - 1
      for bit in (0..<length).reversed() {
        (bits, count) = (bits << 1 | word >> bit & 1, count + 1)
        if count % 8 == 0 { octets.append(UInt8(truncatingIfNeeded: bits)) }
      }
    }
    while count % 8 != 0 {
      (bits, count) = (bits << 1 | padding, count + 1)
      if count % 8 == 0 { octets.append(UInt8(truncatingIfNeeded: bits)) }
    }
    return octets
  }

  /// Decodes octets that lie between others, into a text behind another one.
  private static func decoded(_ coded: [UInt8], before: [UInt8], behind: [UInt8]) -> [UInt8]? {
    let kept: [UInt8] = [1, 2, 3]
    var text = kept + Array(repeating: 0, count: HuffmanCode.longestText(coded.count))
    let range = before.count..<before.count + coded.count
    let end = (before + coded + behind).withOctets {
      HuffmanCode.decode($0.extracting(range), to: &text, at: kept.count)
    }
    #expect(text.starts(with: kept))
    return end.map { Array(text[kept.count..<$0]) }
  }

  @Test func everySymbolComesBackBesideOthers() {
    for first in 0..<256 {
      for second in stride(from: first % 8, to: 256, by: 8) {
        let text = [first, second, first]
        #expect(Self.decoded(Self.coded(text), before: [], behind: []) == text.map { UInt8($0) })
      }
    }
  }

  @Test func isReadAsBitByBit() {
    var random = SeededRandom(seed: 42)
    var outcomes = [false: 0, true: 0]
    for round in 0..<20_000 {
      let count = Int.random(in: 0...40, using: &random)
      var coded: [UInt8]
      switch round % 5 {
      case 0: coded = (0..<count).map { _ in .random(in: .min ... .max, using: &random) }
      case 1: coded = Self.coded((0..<count).map { _ in .random(in: 0...255, using: &random) })
      case 2: coded = Self.coded((0..<count).map { _ in .random(in: 32...126, using: &random) })
      // Longer padding, the end of the string, and padding of zeros.
      case 3: coded = Self.coded([97] + (0..<count % 3).map { _ in .random(in: 250...256, using: &random) }) + [0xff]
      default: coded = Self.coded((0..<count).map { _ in .random(in: 97...122, using: &random) }, endingWith: round % 2)
      }
      if round % 3 == 0, !coded.isEmpty { coded.removeLast() }
      if round % 7 == 0, !coded.isEmpty { coded[.random(in: coded.indices, using: &random)] ^= 1 << UInt8(round % 8) }
      func others() -> [UInt8] {
        (0..<Int.random(in: 0...9, using: &random)).map { _ in .random(in: .min ... .max, using: &random) }
      }
      let expected = Self.text(coded)
      #expect(Self.decoded(coded, before: others(), behind: others()) == expected)
      outcomes[expected == nil, default: 0] += 1
    }
    // Both outcomes are common.
    #expect(outcomes.values.allSatisfy { $0 > 2000 })
  }

  // MARK: Familiar strings

  /// A coded string with its length before it, as a representation has it.
  private static func string(_ coded: [UInt8]) -> [UInt8] {
    guard coded.count >= 127 else { return [0x80 | UInt8(coded.count)] + coded }
    var (octets, rest) = ([UInt8(0xff)], coded.count - 127)
    while rest >= 128 {
      octets.append(UInt8(rest % 128 + 128))
      rest /= 128
    }
    return octets + [UInt8(rest)] + coded
  }

  /// Strings that come again and again, to several readers and among many new ones, are read as at the first time: more of them than places
  /// and octets that are kept.
  @Test func familiarStringsAreReadAsNewOnes() throws {
    var random = SeededRandom(seed: 0xfa)
    let familiar = OwnMemory(FamiliarStrings())
    var readers = (0..<3).map { _ in CodedStrings(familiar) }
    let texts: [[UInt8]] = (0..<1500).map { number in
      let length = number % 100 == 0 ? Int.random(in: 3000...7000, using: &random) : .random(in: 0...90, using: &random)
      let isPlain = Bool.random(using: &random)
      return (0..<length).map { _ in
        isPlain ? .random(in: 0x30...0x39, using: &random) : .random(in: 0...255, using: &random)
      }
    }
    let strings = texts.map { Self.string(Self.coded($0.map { Int($0) })) }
    var found = 0
    for _ in 0..<8000 {
      // A few come often.
      let number =
        Bool.random(using: &random)
        ? Int.random(in: 0..<20, using: &random) : .random(in: texts.indices, using: &random)
      let reader = Int.random(in: readers.indices, using: &random)
      readers[reader].begin()
      var (offset, field) = (0, CodedField(length: 0))
      let text = try #require(strings[number].withOctets { readers[reader].string($0, &offset, &field) })
      try #require(offset == strings[number].count && !field.isMalformed && text.origin == .decoded)
      try #require(Array(readers[reader].decoded[text.range]) == texts[number])
      let mark = readers[reader].mark
      try #require(mark == texts[number].withOctets { OctetMark.of($0) })
      let isKnown = strings[number].withOctets { octets in
        var room = [UInt8](repeating: 0, count: HuffmanCode.longestText(octets.byteCount))
        let coded = octets.extracting(
          octets.byteCount - Self.coded(texts[number].map { Int($0) }).count..<octets.byteCount)
        return familiar.value.text(of: coded, to: &room, at: 0) != nil
      }
      if isKnown { found += 1 }
    }
    #expect(found > 4000)
  }

  /// A string that violates the code is unknown each time.
  @Test func invalidStringsNeverBecomeFamiliar() {
    let familiar = OwnMemory(FamiliarStrings())
    var reader = CodedStrings(familiar)
    // The end-of-string code word (RFC 7541 §5.2).
    let invalid = Self.string([0xff, 0xff, 0xff, 0xff])
    for _ in 0..<3 {
      reader.begin()
      var (offset, field) = (0, CodedField(length: 0))
      let text = invalid.withOctets { reader.string($0, &offset, &field) }
      #expect(text?.isKnown == false && field.isMalformed && reader.mark == 0 && offset == invalid.count)
    }
  }

  @Test(arguments: [
    (":path", FieldNameKind.path), (":pathx", .otherPseudo), (":status", .status), ("", .regular), ("cookie", .cookie),
    ("Cookie", .regular), ("content-length", .contentLength), ("Content-Length", .contentLength), ("hosts", .regular),
    ("grpc-status", .grpcStatus), ("transfer-encoding", .regular), (":", .otherPseudo),
  ])
  func namesHaveKinds(_ name: String, _ kind: FieldNameKind) {
    #expect(Array(name.utf8).withOctets { FieldNameKind($0) } == kind)
    #expect(kind.isPseudo == name.hasPrefix(":"))
  }
}
