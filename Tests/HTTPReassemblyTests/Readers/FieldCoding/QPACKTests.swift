import TestSupport
import Testing

@testable import HTTPReassembly

/// Field sections and encoder streams are read as RFC 9204 says, and all their octets are counted.
@Suite struct QPACKTests {
  private static func octets(_ hex: String) -> [UInt8] {
    let digits = Array(hex.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
  }

  private static func instruct(_ decoder: inout QPACKDecoder, _ octets: [UInt8]) -> Bool {
    octets.withOctets { decoder.takeInstructions($0) }
  }

  /// The lines of a section, its malformed parts, and the octets that it counted.
  private static func read(
    _ section: [UInt8], _ decoder: inout QPACKDecoder
  ) -> (lines: [String], malformed: Int, counted: Int) {
    var lines: [String] = []
    var (malformed, counted, offset) = (0, 0, 0)
    var step = section.withOctets { decoder.startSection($0, since: decoder.inserted, at: &offset) }
    while true {
      switch step {
      case .end: return (lines, malformed, counted)
      case .undecodable: return (lines, malformed + 1, counted + section.count - offset)
      case .field(let field):
        counted += field.length
        if field.isMalformed { malformed += 1 }
        if !field.isInstruction {
          func text(_ text: CodedText) -> String {
            guard text.isKnown else { return "?" }
            return section.withOctets { block in
              decoder.withOctets(of: text, in: block) { span in
                String(decoding: (0..<span.byteCount).map { span.octet($0) }, as: UTF8.self)
              }
            }
          }
          lines.append("\(text(field.name)): \(text(field.value))")
        }
      }
      step = section.withOctets { decoder.next($0, at: &offset) }
    }
  }

  private static func decoder(capacity: Int) -> QPACKDecoder {
    var decoder = QPACKDecoder(keptLimit: 64 << 10)
    decoder.allow(capacity: capacity)
    return decoder
  }

  private static func readiness(_ section: [UInt8], _ decoder: QPACKDecoder) -> QPACKDecoder.Readiness {
    section.withOctets { decoder.readiness(of: $0, since: 0) }
  }

  // MARK: RFC 9204, Appendix B

  /// The steps of the appendix, each cut into pieces of this length.
  @Test(arguments: [1, 2, 3, 7, 100]) func appendixB(_ length: Int) {
    var decoder = Self.decoder(capacity: 220)
    func instruct(_ hex: String) {
      let octets = Self.octets(hex)
      for start in stride(from: 0, to: octets.count, by: length) {
        #expect(Self.instruct(&decoder, Array(octets[start..<min(start + length, octets.count)])))
      }
    }
    func expect(_ hex: String, _ lines: [String]) {
      let section = Self.octets(hex)
      #expect(Self.readiness(section, decoder) == .ready)
      let found = Self.read(section, &decoder)
      #expect(found.lines == lines)
      #expect(found.malformed == 0)
      #expect(found.counted == section.count)
    }
    // B.1
    expect("0000 510b 2f69 6e64 6578 2e68 746d 6c", [":path: /index.html"])
    // B.2
    #expect(Self.readiness(Self.octets("0381 10 11"), decoder) == .waiting(inserts: 2))
    instruct("3fbd01 c00f 7777 772e 6578 616d 706c 652e 636f 6d c10c 2f73 616d 706c 652f 7061 7468")
    expect("0381 10 11", [":authority: www.example.com", ":path: /sample/path"])
    // B.3
    instruct("4a63 7573 746f 6d2d 6b65 790c 6375 7374 6f6d 2d76 616c 7565")
    #expect(decoder.inserted == 3)
    // B.4
    instruct("02")
    expect("0500 80 c1 81", [":authority: www.example.com", ":path: /", "custom-key: custom-value"])
    // B.5
    instruct("810d 6375 7374 6f6d 2d76 616c 7565 32")
    #expect(decoder.inserted == 5)
    // The oldest field is evicted, and the newest one is there.
    expect("0600 80", ["custom-key: custom-value2"])
    expect("0600 84", ["?: ?"])
  }

  @Test func theStaticTableHas99Fields() {
    #expect(QPACKStaticTable.places.count == 99)
    var decoder = Self.decoder(capacity: 0)
    #expect(
      Self.read(Self.octets("0000 d9 ff23 ff24"), &decoder).lines == [
        ":status: 200", "x-frame-options: sameorigin", "?: ?",
      ])
  }

  @Test func huffmanCode() {
    var decoder = Self.decoder(capacity: 0)
    // RFC 7541 §C.4.1: the same code.
    let found = Self.read(Self.octets("0000 508c f1e3 c2e5 f23a 6ba0 ab90 f4ff"), &decoder)
    #expect(found.lines == [":authority: www.example.com"])
  }

  /// Sections of another encoder, with acknowledgments and evictions.
  @Test func sectionsOfAnotherEncoder() {
    for connection in QPACKVectors.connections {
      var decoder = Self.decoder(capacity: connection.capacity)
      for (instructions, hex, fields) in connection.sections {
        #expect(Self.instruct(&decoder, Self.octets(instructions)))
        let section = Self.octets(hex)
        #expect(Self.readiness(section, decoder) == .ready)
        let found = Self.read(section, &decoder)
        #expect(found.lines.joined(separator: "\n") == fields)
        #expect(found.malformed == 0)
        #expect(found.counted == section.count)
      }
    }
  }

  // MARK: Loss

  /// An entry keeps its number. What was known before a loss stays known, and nothing else is.
  @Test func entriesFromBeforeALossAreKnown() {
    var decoder = Self.decoder(capacity: 4096)
    #expect(Self.instruct(&decoder, Self.octets("3fe11f 4161 0131 4162 0132")))
    decoder.lose(octets: 20)
    _ = Self.instruct(&decoder, Self.octets("4163 0133"))
    #expect(decoder.inserted == 2)
    // Two entries, and the base behind them.
    #expect(Self.read(Self.octets("0300 80 81"), &decoder).lines == ["b: 2", "a: 1"])
    // Five entries: three of them are unknown.
    #expect(Self.read(Self.octets("0600 80 83 84"), &decoder).lines == ["?: ?", "b: 2", "a: 1"])
  }

  /// When as many fields may have been inserted as the count is coded modulo, it cannot be told.
  @Test func theCountIsUnknownBehindALongLoss() {
    var decoder = Self.decoder(capacity: 64)
    #expect(Self.instruct(&decoder, Self.octets("3f21 4161 0131")))
    decoder.lose(octets: 20)
    #expect(Self.read(Self.octets("0200 80"), &decoder).lines == ["?: ?"])
    decoder.lose(octets: nil)
    #expect(Self.read(Self.octets("0200 80"), &decoder).lines == ["?: ?"])
  }

  @Test func withoutSettingsNoFieldOfTheTableIsKnown() {
    var decoder = QPACKDecoder(keptLimit: 64 << 10)
    #expect(Self.instruct(&decoder, Self.octets("3fe11f 4161 0131")))
    #expect(Self.readiness(Self.octets("0200 80"), decoder) == .waiting(inserts: 0))
    decoder.loseSettings()
    #expect(Self.readiness(Self.octets("0200 80"), decoder) == .ready)
    let found = Self.read(Self.octets("0200 80 d9"), &decoder)
    #expect(found.lines == ["?: ?", ":status: 200"])
    #expect(found.malformed == 0)
  }

  // MARK: Hostile input

  /// One octet that repeats the largest entry costs one entry, not its octets.
  @Test func repeatedEntriesShareTheirOctets() {
    var decoder = Self.decoder(capacity: 64 << 10)
    let value = [UInt8](repeating: 0x61, count: 30_000)
    var octets = HTTP2Writer.integer(64 << 10, 5, 0x20) + Self.octets("4161")
    octets += HTTP2Writer.integer(value.count, 7, 0) + value
    #expect(Self.instruct(&decoder, octets))
    for _ in 0..<100 { #expect(Self.instruct(&decoder, [UInt8](repeating: 0, count: 1000))) }
    #expect(decoder.inserted == 100_001)
    #expect(decoder.memory < 256 << 10)
  }

  /// A string that comes octet by octet is not looked at again and again, and one that is too long is given up.
  @Test func stringsThatAreTooLong() {
    var decoder = Self.decoder(capacity: 1 << 30)
    #expect(!Self.instruct(&decoder, Self.octets("7fffffff07")))
    #expect(decoder.isLost)
    #expect(decoder.memory < 1024)
  }

  /// Random octets as sections and instructions: every octet is counted, and memory is bounded.
  @Test(arguments: RandomCases.seeds(0..<40).map { UInt64($0) })
  func randomOctets(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var decoder = Self.decoder(capacity: 1024)
    _ = Self.instruct(&decoder, Self.octets("3fe107"))
    for _ in 0..<200 {
      let octets = (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random) {
        _ = Self.instruct(&decoder, octets)
      } else {
        #expect(Self.read(octets, &decoder).counted == octets.count)
      }
      #expect(decoder.memory < 512 << 10)
    }
  }
}
