import TestSupport
import Testing

@testable import HTTPReassembly

/// What was read before changes nothing but the time that reading takes.
@Suite struct FamiliarLinesTests {
  private static let lines = [
    "Host: a.example\r\n", "Host: A.Example:80\r\n", "Host: b.example\r\n", "Accept: */*\r\n",
    "Accept-Language: de\r\n",
    "Accept-Language: en\r\n", "Accept-Encoding: gzip\r\n", "Connection: keep-alive\r\n",
    "Connection: upgrade, keep-alive\r\n", "Upgrade: h2c\r\n", "Content-Type: text/plain\r\n",
    "Content-Type: text/html\r\n", "Content-Encoding: gzip\r\n", "Content-Length: 0\r\n", "Content-Length: 00\r\n",
    "X-Folded: a\r\n b\r\n", "X-Folded: a\r\n", "X-Bare: a\n", "X-Space : a\r\n", "X-Space: a\r\n", "X-None\r\n",
    "X-\u{e9}: a\r\n", "X-Long: \(String(repeating: "x", count: 300))\r\n", "X-Empty:\r\n",
    "Transfer-Encoding: gzip\r\n",
    "Cookie: a=1; b=2\r\n", "Cookie: a=1; b=3\r\n", "a:b\r\n", "\t: x\r\n",
  ]

  private static let startLines = [
    "GET /a HTTP/1.1", "GET /a?b HTTP/1.1", "GET /a?c=d HTTP/1.1", "GET /a? HTTP/1.1", "GET /a?b?c HTTP/1.1",
    "GET /a?b c HTTP/1.1",
    "GET /a?b  HTTP/1.1", "GET  /a?b HTTP/1.1", "GET /a?b HTTP/1.0", "GET /a?b http/1.1", "HEAD /a?b HTTP/1.1",
    "POST /a/b/c?d HTTP/1.1", "GET /a/b/c/d/e/f?ghi HTTP/1.1", "GET /a/b/c/d/e/f?\u{e9} HTTP/1.1",
    "GET http://a.example/a?b HTTP/1.1",
    "GET /? HTTP/1.1", "GET /?a HTTP/1.1", "GET /a?\(String(repeating: "x", count: 300)) HTTP/1.1",
  ]

  /// What a row says of a message, apart from its numbers, times and endpoints, and from how it was found: a request before it
  /// may have lost its framing.
  private func description(_ message: SeenMessage) -> String {
    let message = message
    return "\(message.method) \(message.host) \(message.path) \(message.octets) \(message.flags.rawValue) "
      + "\(message.hostSource) \(message.content) \(message.status) \(message.version) \(message.queryLength ?? -1)"
  }

  private func analyze(_ requests: [String]) -> Analysis {
    var dialogue = Dialogue.opened()
    for request in requests {
      dialogue.send(.client, request)
      dialogue.send(.server, "HTTP/1.1 204 No Content\r\n\r\n")
    }
    return HTTPReassemblyTests.analyze(dialogue.packets())
  }

  @Test func aMessageIsReadAsIfItWereTheFirst() throws {
    var random = SeededRandom(seed: 3)
    let lines = Self.lines.filter { !$0.hasPrefix("Upgrade") && !$0.hasPrefix("Transfer") }
    for _ in 0..<RandomCases.count(300) {
      let requests = (0..<12).map { index in
        let section = (0..<random.number(0..<6)).compactMap { _ in lines.randomElement(using: &random) }
        return "GET /\(index) HTTP/1.1\r\n\(section.joined())\r\n"
      }
      let together = analyze(requests)
      #expect(together.requests.count == requests.count)
      for (request, seen) in zip(requests, together.requests) {
        let alone = analyze([request])
        let one = try #require(alone.requests.first)
        #expect(description(seen) == description(one), "\(request)")
      }
    }
  }

  @Test func aStartLineIsReadAsIfItWereTheFirst() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<RandomCases.count(300) {
      let requests = (0..<12).compactMap { _ in
        Self.startLines.randomElement(using: &random).map { "\($0)\r\nHost: a.example\r\n\r\n" }
      }
      let together = analyze(requests)
      #expect(together.requests.count == requests.count)
      for (request, seen) in zip(requests, together.requests) {
        let one = try #require(analyze([request]).requests.first)
        #expect(description(seen) == description(one), "\(request)")
      }
    }
  }

  /// Of every octet of a familiar line, another one makes another line of it.
  @Test func aLineIsFamiliarByAllOfItsOctets() {
    let section = Array("Accept-Language: de-DE, de\r\nHost: a\r\n".utf8)
    let end = 28
    var lines = FamiliarLines()
    var texts = TextPool()
    section.withOctets { lines.remember(field: 0..<end, of: $0, index: 0, FamiliarLines.Line(), &texts) }
    func length(_ octets: [UInt8], index: Int = 0) -> Int? {
      octets.withOctets { octets in lines.field(at: 0, in: octets, index: index).map { Int(lines[$0].length) } }
    }
    #expect(length(section) == end)
    #expect(length(section, index: 1) == nil)
    for offset in 0..<end {
      for bit in 0..<8 {
        var other = section
        other[offset] ^= 1 << UInt8(bit)
        #expect(length(other) == nil)
      }
    }
    // Cut off, or folded by what follows.
    for count in 0...end { #expect(length(Array(section.prefix(count))) == nil) }
    #expect(length(section.prefix(end) + [0x20]) == nil)
    #expect(length(section.prefix(end) + [0x09]) == nil)
    #expect(length(section.prefix(end) + [0x0d]) == end)
  }

  /// The same of a start-line, and what replaces a line gives up the texts of the old one.
  @Test func startLinesKeepTheirTexts() {
    var lines = FamiliarLines()
    var texts = TextPool()
    var remembered: [(line: [UInt8], path: TextID)] = []
    for number in 0..<4000 {
      let octets = Array("GET /items/\(number) HTTP/1.1\r\n".utf8)
      var line = FamiliarLines.Line(meaning: .request)
      line.text = texts.intern(Array("/items/\(number)".utf8))
      octets.withOctets { lines.remember(startLine: 0..<$0.byteCount, of: $0, line, &texts) }
      texts.release(line.text)
      remembered.append((octets, line.text))
    }
    var found = 0
    for (octets, path) in remembered {
      octets.withOctets { octets in
        guard let slot = lines.startLine(in: 0..<octets.byteCount, of: octets) else { return }
        found += 1
        #expect(lines[slot].text == path)
      }
    }
    // As many as there is room for, and no text of another one is kept.
    #expect(found > 300 && found == texts.count)
  }

  /// What was read as a field line is no start-line, and the other way round, though both may have the same slot.
  @Test func aStartLineIsNoFieldLine() {
    var lines = FamiliarLines()
    var texts = TextPool()
    var sameSlots = 0
    for number in 0..<4000 {
      let octets = Array("X-Number: value \(number) HTTP/1.1\r\nHost: a\r\n".utf8)
      let end = octets.count - 9
      octets.withOctets { octets in
        lines.remember(field: 0..<end, of: octets, index: 0, FamiliarLines.Line(), &texts)
        #expect(lines.startLine(in: 0..<end, of: octets) == nil)
        let field = lines.field(at: 0, in: octets, index: 0)
        #expect(field != nil)
        lines.remember(startLine: 0..<end, of: octets, FamiliarLines.Line(meaning: .request), &texts)
        let startLine = lines.startLine(in: 0..<end, of: octets)
        #expect(startLine != nil)
        if field == startLine {
          sameSlots += 1
          #expect(lines.field(at: 0, in: octets, index: 0) == nil)
        }
      }
    }
    // Else nothing would have been tested.
    #expect(sameSlots > 0)
  }
}
