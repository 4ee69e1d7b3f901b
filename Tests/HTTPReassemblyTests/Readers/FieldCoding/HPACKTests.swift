import TestSupport
import Testing

@testable import HTTPReassembly

/// Field blocks are read as RFC 7541 says, and all their octets are counted.
@Suite struct HPACKTests {
  /// A field as a decoder finds it; nil for what it does not know.
  private struct Field: Equatable {
    var name: String?
    var value: String?
    var length: Int
  }

  private static func octets(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }
    var result: [UInt8] = []
    var index = digits.startIndex
    while index < digits.endIndex {
      let next = digits.index(index, offsetBy: 2)
      result.append(UInt8(digits[index..<next], radix: 16) ?? 0)
      index = next
    }
    return result
  }

  /// The fields of a block, and how many octets could not be read.
  private static func read(
    _ block: [UInt8], _ decoder: inout HPACKDecoder
  ) -> (fields: [Field], malformed: Int, undecodable: Int) {
    var fields: [Field] = []
    var malformed = 0
    var offset = 0
    decoder.startBlock()
    while true {
      let step = block.withOctets { decoder.next($0, at: &offset) }
      switch step {
      case .end: return (fields, malformed, 0)
      case .undecodable: return (fields, malformed, block.count - offset)
      case .field(let field):
        if field.isMalformed { malformed += 1 }
        func text(_ text: CodedText) -> String? {
          guard text.isKnown else { return nil }
          return block.withOctets { block in
            decoder.withOctets(of: text, in: block) { span in
              String(decoding: (0..<span.byteCount).map { span.octet($0) }, as: UTF8.self)
            }
          }
        }
        guard !field.isInstruction else {
          fields.append(Field(name: "size update", value: nil, length: field.length))
          continue
        }
        fields.append(Field(name: text(field.name), value: text(field.value), length: field.length))
      }
    }
  }

  private static func decoder(isComplete: Bool = true) -> HPACKDecoder {
    HPACKDecoder(isComplete: isComplete, keptLimit: 64 << 10)
  }

  private static func lines(_ fields: [Field]) -> [String] { fields.map { "\($0.name ?? "?"): \($0.value ?? "?")" } }

  // MARK: RFC 7541, Appendix C

  @Test(arguments: [
    (10, 5, "0a"), (1337, 5, "1f9a0a"), (42, 8, "2a"), (0, 7, "00"), (127, 7, "7f00"), (128, 7, "7f01"),
  ])
  func integers(_ value: Int, _ prefix: Int, _ hex: String) {
    var offset = 0
    let octets = Self.octets(hex)
    #expect(octets.withOctets { CodedStrings.integer($0, &offset, prefix: prefix) } == value)
    #expect(offset == octets.count)
  }

  @Test(arguments: [
    ("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", "custom-key: custom-header"),
    ("040c 2f73 616d 706c 652f 7061 7468", ":path: /sample/path"),
    ("1008 7061 7373 776f 7264 0673 6563 7265 74", "password: secret"), ("82", ":method: GET"),
  ])
  func representations(_ hex: String, _ line: String) {
    var decoder = Self.decoder()
    let block = Self.octets(hex)
    let read = Self.read(block, &decoder)
    #expect(Self.lines(read.fields) == [line])
    #expect(read.fields.map(\.length) == [block.count])
  }

  private static let requests = [
    [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"],
    [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"],
    [
      ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value",
    ],
  ]

  @Test(arguments: [
    [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ],
    [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ],
  ])
  func requestsOfTheRFC(_ blocks: [String]) {
    var decoder = Self.decoder()
    for (hex, lines) in zip(blocks, Self.requests) {
      let block = Self.octets(hex)
      let read = Self.read(block, &decoder)
      #expect(Self.lines(read.fields) == lines)
      #expect(read.fields.reduce(0) { $0 + $1.length } == block.count)
    }
    #expect(decoder.entryCount == 3)
  }

  private static let responses = [
    [
      ":status: 302", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
      "location: https://www.example.com",
    ],
    [
      ":status: 307", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
      "location: https://www.example.com",
    ],
    [
      ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT",
      "location: https://www.example.com", "content-encoding: gzip",
      "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
    ],
  ]

  /// With a table of 256 octets, so that entries are evicted.
  @Test(arguments: [
    [
      """
      4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e
      1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
      """,
      "4803 3330 37c1 c0bf",
      """
      88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d
      4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572
      7369 6f6e 3d31
      """,
    ],
    [
      """
      4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b
      97c8 e9ae 82ae 43d3
      """,
      "4883 640e ffc1 c0bf",
      """
      88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf
      cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07
      """,
    ],
  ])
  func responsesOfTheRFC(_ blocks: [String]) {
    var decoder = Self.decoder()
    _ = Self.read([0x3f, 0xe1, 0x01], &decoder)
    for (hex, lines) in zip(blocks, Self.responses) {
      let block = Self.octets(hex)
      let read = Self.read(block, &decoder)
      #expect(Self.lines(read.fields) == lines)
      #expect(read.fields.reduce(0) { $0 + $1.length } == block.count)
      #expect(read.malformed == 0)
    }
    // What the third one leaves of the table.
    #expect(decoder.entryCount == 3)
  }

  /// Blocks of other encoders: PyPI's hpack and nghttp2's, whose tables change their sizes on the way, and those of browsers, OkHttp and their servers.
  @Test func blocksOfOtherEncoders() {
    for connection in HPACKVectors.connections {
      var decoder = Self.decoder()
      for (hex, fields) in connection {
        let block = Self.octets(hex)
        let read = Self.read(block, &decoder)
        #expect(Self.lines(read.fields.filter { $0.name != "size update" }).joined(separator: "\n") == fields)
        #expect(read.fields.reduce(0) { $0 + $1.length } == block.count)
        #expect(read.malformed == 0)
      }
    }
  }

  // MARK: What is not known

  /// A table whose beginning was not seen: old entries are unknown, new ones are known at once.
  @Test func entriesFromBeforeTheCapture() {
    var decoder = Self.decoder(isComplete: false)
    let read = Self.read([0xbe, 0x40, 1, 0x61, 1, 0x62, 0xbe, 0xbf, 0xff, 0x80, 0x01], &decoder)
    #expect(Self.lines(read.fields) == ["?: ?", "a: b", "a: b", "?: ?", "?: ?"])
    #expect(read.fields.map(\.length) == [1, 5, 1, 1, 3])
    #expect(read.malformed == 0)
  }

  /// A literal whose name is an unknown entry's has a value, and so has the entry that it makes.
  @Test func unknownNames() {
    var decoder = Self.decoder(isComplete: false)
    let read = Self.read([0x7e, 1, 0x76, 0xbe], &decoder)
    #expect(Self.lines(read.fields) == ["?: v", "?: v"])
  }

  /// A table that is emptied is known again.
  @Test func anEmptiedTable() {
    var decoder = Self.decoder(isComplete: false)
    _ = Self.read([0x20, 0x3f, 0xe1, 0x1f, 0x40, 1, 0x61, 1, 0x62], &decoder)
    #expect(Self.read([0xbf], &decoder).malformed == 1)
    #expect(Self.lines(Self.read([0xbe], &decoder).fields) == ["a: b"])
  }

  // MARK: Errors

  @Test(
    arguments: [
      ([0x80], 1, 0), ([0xbe], 1, 0), ([0x82, 0x3f, 0x01], 1, 0), ([0x3f, 0xe2, 0x1f], 1, 0),
      // A string with the code word for the end, one padded with zeros, one padded with eight bits.
      ([0x40, 0x84, 0xff, 0xff, 0xff, 0xff, 1, 0x62], 1, 0), ([0x40, 0x81, 0x00, 1, 0x62], 1, 0),
      ([0x40, 0x82, 0x1f, 0xff, 1, 0x62], 1, 0),
      // Cut off, or too long.
      ([0x40], 0, 1), ([0x82, 0x40, 5, 0x61], 0, 3), ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 0, 8),
      ([0x7f], 0, 1), ([0x40, 1, 0x61, 0x7f, 0xff, 0xff, 0xff, 0xff], 0, 8),
    ] as [([UInt8], Int, Int)])
  func malformedBlocks(_ block: [UInt8], _ malformed: Int, _ undecodable: Int) {
    var decoder = Self.decoder()
    let read = Self.read(block, &decoder)
    #expect(read.malformed == malformed)
    #expect(read.undecodable == undecodable)
    #expect(read.fields.reduce(0) { $0 + $1.length } + read.undecodable == block.count)
  }

  /// A field of more octets than the table may have empties it, and is no error (RFC 7541 §4.4).
  @Test func aFieldLargerThanTheTable() {
    var decoder = Self.decoder()
    _ = Self.read([0x40, 1, 0x61, 1, 0x62], &decoder)
    let long = HTTP2Writer.string(String(repeating: "x", count: 5000))
    let read = Self.read([0x40, 1, 0x63] + long, &decoder)
    #expect(read.fields.first?.value?.count == 5000)
    #expect(decoder.entryCount == 0)
  }

  /// However large a table a peer allows, little of it is kept; what is not kept is unknown, and no error.
  /// Two octets repeat a name in a new entry: one that is longer than any real name is not known there.
  @Test(arguments: [HPACKDynamicTable.repeatedNameLimit, HPACKDynamicTable.repeatedNameLimit + 1])
  func aLongNameIsNotRepeated(_ length: Int) {
    var decoder = Self.decoder()
    let name = String(repeating: "n", count: length)
    let size = length - 127
    let insert = [0x40, 0x7f, UInt8(size & 127 | 128), UInt8(size >> 7)] + Array(name.utf8) + [1, 0x76]
    #expect(Self.read(insert, &decoder).fields == [Field(name: name, value: "v", length: insert.count)])
    let isKept = length <= HPACKDynamicTable.repeatedNameLimit
    // The newest entry's name with another value, in a new entry; then that, and the one before it.
    let again = Self.read([0x7e, 1, 0x77, 0xbe, 0xbf], &decoder)
    #expect(
      again.fields == [
        Field(name: name, value: "w", length: 3), Field(name: isKept ? name : nil, value: "w", length: 1),
        Field(name: name, value: "v", length: 1),
      ])
    #expect(again.malformed == 0 && again.undecodable == 0)
  }

  @Test func tablesAreBounded() {
    var decoder = Self.decoder()
    decoder.allow(size: 1 << 30)
    _ = Self.read(HTTP2Writer.integer(1 << 30, 5, 0x20), &decoder)
    for number in 0..<5000 {
      let value = HTTP2Writer.string("\(number)" + String(repeating: "v", count: 100))
      _ = Self.read([0x40, 1, 0x61] + value, &decoder)
    }
    #expect(decoder.memory < 512 << 10)
    let newest = Self.read([0xbe], &decoder)
    #expect(newest.fields.first?.value?.hasPrefix("4999v") == true)
    let oldest = Self.read(HTTP2Writer.integer(62 + 4999, 7, 0x80), &decoder)
    #expect(oldest.fields == [Field(name: nil, value: nil, length: 3)])
    #expect(oldest.malformed == 0)
  }

  /// A block refers to an entry that no number of unseen insertions explains, and more is lost.
  @Test func noNumberIsPossible() {
    var decoder = Self.decoder()
    _ = Self.read(Self.octets("828487 4001610162"), &decoder)
    decoder.lose(octets: 5000)
    let far = [0x82, 0x84, 0x87] + HTTP2Writer.integer(62 + 1000, 7, 0x80)
    far.withOctets { decoder.narrow($0, [.request], lostBlocks: 1) }
    _ = Self.read(far, &decoder)
    decoder.lose(octets: 10)
    let read = Self.read(far, &decoder)
    #expect(Self.lines(read.fields).last == "?: ?")
    #expect(read.undecodable == 0)
  }

  /// Any octets: the lengths add up to the block's.
  @Test func anyOctets() {
    var random = SeededRandom(seed: 7541)
    for _ in 0..<RandomCases.count(20_000) {
      var decoder = Self.decoder(isComplete: Bool.random(using: &random))
      for _ in 0..<3 {
        let block = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let read = Self.read(block, &decoder)
        #expect(read.fields.reduce(0) { $0 + $1.length } + read.undecodable == block.count)
      }
    }
  }
}
