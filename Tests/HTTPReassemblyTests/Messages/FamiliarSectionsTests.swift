import TestSupport
import Testing

@testable import HTTPReassembly

/// Sections of one kind, whose values change, are read as if each were the first.
@Suite struct FamiliarSectionsTests {
  private static let names = [
    "Date", "ETag", "X-Request-Id", "Content-Length", "Content-Type", "Set-Cookie", "Vary", "Connection",
  ]

  /// What a row says of a response.
  private func description(_ message: SeenMessage) -> String {
    "\(message.octets) \(message.flags.rawValue) \(message.content) \(message.status)"
  }

  private func analyze(_ responses: [String]) -> Analysis {
    var dialogue = Dialogue.opened()
    for response in responses {
      dialogue.send(.client, "HEAD / HTTP/1.1\r\nHost: a.example\r\n\r\n")
      dialogue.send(.server, response)
    }
    return HTTPReassemblyTests.analyze(dialogue.packets())
  }

  /// A value of a field; rarely, one that changes what the message is.
  private func value(of name: String, _ random: inout SeededRandom) -> String {
    switch name {
    case "Content-Length": random.number(0..<20) == 0 ? "1, 1" : String(random.number(0..<2000))
    case "Content-Type": random.number(0..<4) == 0 ? "text/html" : "application/json"
    case "Connection": random.number(0..<8) == 0 ? "close" : "keep-alive"
    default: String(repeating: "x", count: random.number(0..<40)) + String(random.number(0..<10))
    }
  }

  @Test func aSectionIsReadAsIfItWereTheFirst() throws {
    var random = SeededRandom(seed: 9)
    for _ in 0..<RandomCases.count(200) {
      let names = Self.names.filter { _ in random.number(0..<4) > 0 }
      let responses = (0..<12).map { _ in
        let lines = names.compactMap { name -> String? in
          // Now and then another name, a line less, or another way to write one.
          switch random.number(0..<60) {
          case 0: return "X-Other: 1\r\n"
          case 1: return nil
          case 2: return "\(name):\r\n"
          case 3: return "\(name.lowercased()):  \(value(of: name, &random)) \r\n"
          case 4: return "\(name): a\r\n b\r\n"
          case 5: return "\(name): a\n"
          case 6: return "\(name): \u{e9}\r\n"
          default: return "\(name): \(value(of: name, &random))\r\n"
          }
        }
        return "HTTP/1.1 200 OK\r\n\(lines.joined())\r\n"
      }
      let together = analyze(responses)
      #expect(together.responses.count == responses.count)
      for (response, seen) in zip(responses, together.responses) {
        let one = try #require(analyze([response]).responses.first)
        #expect(description(seen) == description(one), "\(response)")
      }
    }
  }

  private func read(_ section: String, _ sections: inout FamiliarSections, _ notes: inout FieldNotes, limit: Int = 8192)
    -> Int?
  {
    Array(section.utf8).withOctets { sections.read($0, in: 0, limit: limit, &notes) }
  }

  @Test func linesThatDifferHaveTheirOwnNotes() {
    OctetMark.chooseKeys()
    var sections = FamiliarSections()
    var notes = FieldNotes(isWanted: true)
    var texts = TextPool()
    let first = "Server: a\r\nDate: today\r\nContent-Length: 7\r\n"
    for (name, value) in [("Server", "a"), ("Date", "today"), ("Content-Length", "7")] {
      let (name, value) = (Array(name.utf8), Array(value.utf8))
      name.withOctets { name in
        value.withOctets { notes.add(notes.line(name, $0, length: name.byteCount + $0.byteCount + 4)) }
      }
    }
    let known = notes.section
    Array(first.utf8).withOctets { sections.remember($0, SectionFacts(), in: 0, notes, &texts) }
    notes.startSection()
    #expect(read("Server: a\r\nDate: tomorrow\r\nContent-Length: 12\r\n\r\n", &sections, &notes) == 47)
    #expect(notes.section.map(\.length) == [11, 16, 20])
    #expect(notes.section.map(\.name) == known.map(\.name))
    #expect(zip(notes.section, known).map { $0.value == $1.value } == [true, false, false])
    #expect(sections.facts(in: 0).section.framing.contentLength == 12)
    // The section read last is the remembered one. Other kinds, and parts, are not read.
    #expect(read("Server: a\r\nDate: tomorrow\r\nContent-Length: 12\r\n", &sections, &notes) == nil)
    #expect(read("Server: a\r\nDate: tomorrow\r\nContent-Length: 12\r\n\r", &sections, &notes) == nil)
    #expect(read("Server: a\r\nDate: tomorrow\r\nContent-Length: 12\r\nVary: a\r\n\r\n", &sections, &notes) == nil)
    #expect(read("Server: a\r\nVary: a\r\nContent-Length: 12\r\n\r\n", &sections, &notes) == nil)
    #expect(read("Server: a\r\nDate: tomorrow\r\n\r\n", &sections, &notes) == nil)
    #expect(read("Server: a\r\nDate: x\r\n y\r\nContent-Length: 12\r\n\r\n", &sections, &notes) == nil)
    #expect(read("Server: a\r\nDate: \u{e9}\r\nContent-Length: 12\r\n\r\n", &sections, &notes) == nil)
    #expect(read("Server: a\r\nDate: long\r\nContent-Length: 12\r\n\r\n", &sections, &notes, limit: 11) == nil)
    #expect(notes.section.count == 3)
    #expect(read("Server: a\r\nDate: tomorrow\r\nContent-Length: 12\r\n\r\n", &sections, &notes) == 47)
  }

  /// Sections that are all of another kind are soon remembered only now and then.
  @Test func textsAreGivenUp() {
    var sections = FamiliarSections()
    let notes = FieldNotes(isWanted: false)
    var texts = TextPool()
    for number in 0..<100 {
      let line = Array("Content-Type: a/\(number)\r\n".utf8)
      line.withOctets { octets in
        var facts = SectionFacts()
        let text = texts.intern(Array("a/\(number)".utf8))
        let field = SectionFacts.Field(lines: 0..<line.count, value: 14..<line.count - 2, index: 0, text: text)
        let isTaken = facts.take(.contentType, field, octets)
        #expect(isTaken)
        sections.remember(octets, facts, in: number % 3, notes, &texts)
        texts.release(text)
      }
    }
    #expect(texts.count == 3)
    sections.forgetAll(&texts)
    #expect(texts.count == 0)
  }
}
