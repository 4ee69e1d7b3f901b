import TestSupport
import Testing

@testable import HTTPReassembly

/// DNS messages and the addresses in their answers.
@Suite struct DNSTests {
  private static func name(_ text: String) -> [UInt8] {
    text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } ++ [0]
  }

  private static func header(
    _ identification: Int = 0x1234, flags: Int = 0x8180, questions: Int = 1, answers: Int
  ) -> [UInt8] {
    Wire.be16(identification) ++ Wire.be16(flags) ++ Wire.be16(questions) ++ Wire.be16(answers) ++ Wire.zeros(4)
  }

  private static func question(_ text: String, type: Int = 1) -> [UInt8] {
    name(text) ++ Wire.be16(type) ++ Wire.be16(1)
  }

  private static func record(_ owner: [UInt8], _ type: Int, _ data: [UInt8], recordClass: Int = 1) -> [UInt8] {
    owner ++ Wire.be16(type) ++ Wire.be16(recordClass) ++ Wire.be32(60) ++ Wire.be16(data.count) ++ data
  }

  /// The name at the start of the question.
  private static let pointer: [UInt8] = [0xc0, 12]

  private func addresses(_ octets: [UInt8]) -> (found: [String], isWhole: Bool)? {
    octets.withOctets { span -> (found: [String], isWhole: Bool)? in
      guard let message = DNSMessage(span) else { return nil }
      var found: [String] = []
      let isWhole = message.forEachAddress(in: span) { found.append("\(String(decoding: $1, as: UTF8.self)) \($0)") }
      return (found, isWhole)
    }
  }

  @Test func query() throws {
    let octets = Self.header(7, flags: 0x0100, answers: 0) ++ Self.question("WWW.Example.COM", type: 28)
    let message = try #require(octets.withOctets { DNSMessage($0) })
    #expect(message.identification == 7)
    #expect(!message.isResponse)
    #expect(message.questionName == Array("www.example.com".utf8))
    #expect(message.questionType == 28)
    let result = try #require(addresses(octets))
    #expect(result.found.isEmpty && result.isWhole)
  }

  @Test func answers() throws {
    let octets =
      Self.header(answers: 3) ++ Self.question("Api.example.com")
      ++ Self.record(Self.pointer, 1, [192, 0, 2, 1]) ++ Self.record(Self.pointer, 28, Wire.address6A)
      ++ Self.record(Self.pointer, 16, [3, 1, 2, 3])
    let result = try #require(addresses(octets))
    #expect(result.found == ["api.example.com 192.0.2.1", "api.example.com 2001:db8::1"])
    #expect(result.isWhole)
    let message = try #require(octets.withOctets { DNSMessage($0) })
    #expect(message.isResponse && message.responseCode == 0 && message.identification == 0x1234)
  }

  /// HTTPS records (RFC 9460): a target, then parameters; `alpn` has the key 1.
  @Test func protocolsOfHTTPSRecords() throws {
    func services(_ data: [UInt8], type: Int = 65) throws -> AlternativeServices {
      let octets =
        Self.header(answers: 2) ++ Self.question("Api.example.com", type: type)
        ++ Self.record(Self.pointer, 5, Self.name("other.example.com"))
        ++ Self.record(Self.name("other.example.com"), 65, data)
      return try octets.withOctets { octets in
        let message = try #require(DNSMessage(octets))
        #expect(message.forEachAddress(in: octets) { _, _ in } == (data.last != 0xff))
        return message.services(in: octets)
      }
    }
    let names: [UInt8] = [2] ++ Array("h3".utf8) ++ [2] ++ Array("h2".utf8)
    let port: [UInt8] = [0, 3, 0, 2, 1, 0xbb]
    #expect(try services([0, 1, 0] ++ [0, 1, 0, 6] ++ names ++ port) == [.http3, .http2])
    #expect(try services([0, 1] ++ Self.name("x.example") ++ port ++ [0, 1, 0, 3, 2, 0x68, 0x33]) == [.http3])
    // An alias has no parameters.
    #expect(try services([0, 0] ++ Self.name("x.example")) == [])
    // A name or a parameter that is longer than what is there.
    let wrong: [[UInt8]] = [
      [0, 1, 0, 0, 1, 0, 3, 9, 0x68, 0xff], [0, 1, 0, 0, 1, 0, 9, 0xff], [0, 1, 0, 0, 1, 0xff], [0, 0xff],
    ]
    for data in wrong { #expect(try services(data) == []) }
    #expect(try services([0, 1, 0] ++ [0, 1, 0, 6] ++ names, type: 1) == [])
  }

  @Test func aliasChainInAnyOrder() throws {
    let alias1 = Self.record(Self.pointer, 5, Self.name("edge.example.net"))
    let alias2 = Self.record(Self.name("EDGE.example.net"), 5, Self.name("host.example.org"))
    let address = Self.record(Self.name("host.example.org"), 1, [192, 0, 2, 9])
    let other = Self.record(Self.name("evil.example.org"), 1, [192, 0, 2, 66])
    for records in [[alias1, alias2, address, other], [other, address, alias2, alias1]] {
      let octets = Self.header(answers: 4) ++ Self.question("api.example.com") ++ records.flatMap { $0 }
      let result = try #require(addresses(octets))
      #expect(result.found == ["api.example.com 192.0.2.9"])
      #expect(result.isWhole)
    }
    // An alias of itself.
    let loop = Self.record(Self.pointer, 5, Self.pointer)
    let result = try #require(addresses(Self.header(answers: 1) ++ Self.question("a.b") ++ loop))
    #expect(result.found.isEmpty && result.isWhole)
  }

  @Test func multicastHasNoQuestion() throws {
    let octets =
      Self.header(0, flags: 0x8400, questions: 0, answers: 1)
      ++ Self.record(Self.name("Printer.local"), 1, [10, 0, 0, 9], recordClass: 0x8001)
    let result = try #require(addresses(octets))
    #expect(result.found == ["printer.local 10.0.0.9"])
  }

  @Test func malformedMessages() {
    #expect(addresses([]) == nil)
    #expect(addresses(Wire.zeros(11)) == nil)
    #expect(addresses(Self.header(answers: 1)) == nil)
    #expect(addresses(Self.header(answers: 1) ++ [3, 65]) == nil)
    // Pointers to themselves, forward, and in a circle with a label.
    #expect(addresses(Self.header(answers: 1) ++ [0xc0, 12, 0, 1, 0, 1]) == nil)
    #expect(addresses(Self.header(answers: 1) ++ [0xc0, 14, 0, 0, 1, 0, 1]) == nil)
    #expect(addresses(Self.header(answers: 1) ++ [1, 97, 0xc0, 12, 0, 1, 0, 1]) == nil)
    #expect(addresses(Self.header(answers: 1) ++ [0x80, 0, 0, 1, 0, 1]) == nil)
    // A name of more than 255 octets.
    let long = (0..<5).flatMap { _ in [63] + Array(repeating: UInt8(97), count: 63) } ++ [0]
    #expect(addresses(Self.header(answers: 0) ++ long ++ [0, 1, 0, 1]) == nil)
    // An address of five octets; a record that is cut off.
    let good = Self.header(answers: 2) ++ Self.question("a.b") ++ Self.record(Self.pointer, 1, [1, 2, 3, 4])
    let five = addresses(good ++ Self.record(Self.pointer, 1, [1, 2, 3, 4, 5]))
    #expect(five?.found == ["a.b 1.2.3.4"])
    #expect(five?.isWhole == false)
    let cut = addresses(good ++ [0xc0, 12, 0, 1])
    #expect(cut?.found == ["a.b 1.2.3.4"])
    #expect(cut?.isWhole == false)
  }

  @Test func dotsInLabelsAreEscaped() throws {
    let octets = Self.header(flags: 0, answers: 0) ++ [3, 97, 46, 98, 1, 92, 0, 0, 1, 0, 1]
    let message = try #require(octets.withOctets { DNSMessage($0) })
    #expect(message.questionName == Array(#"a\.b.\\"#.utf8))
  }

  @Test func hostileMessagesEnd() {
    var random = SeededRandom(seed: 53)
    let valid =
      Self.header(answers: 3) ++ Self.question("api.example.com")
      ++ Self.record(Self.pointer, 5, Self.name("edge.example.net")) ++ Self.record([0xc0, 45], 1, [192, 0, 2, 1])
      ++ Self.record(Self.pointer, 28, Wire.address6A)
    for _ in 0..<RandomCases.count(50_000) {
      var octets = valid
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        octets[Int.random(in: 0..<octets.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = addresses(Array(octets.prefix(Int.random(in: 0...octets.count, using: &random))))
    }
    // As many records as fit, each a chain of pointers.
    var chain = Self.header(answers: 0xffff) ++ [0, 0, 1, 0, 1]
    for target in 0..<8000 { chain += Wire.be16(0xc000 | (target == 0 ? 16 : 17 + target * 2)) }
    for _ in 0..<3000 { chain += Self.record([0xff, 0xff], 1, [1, 2, 3, 4]) }
    #expect(addresses(chain)?.isWhole == false)
  }
}
