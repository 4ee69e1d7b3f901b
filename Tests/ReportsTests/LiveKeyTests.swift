import TestSupport
import Testing

@testable import Reports

@Suite struct LiveKeyTests {
  private static let all =
    "a/é日😀\u{7f}\u{8}\r\n\u{15}\u{3}\u{1b}[A\u{1b}[B\u{1b}OA\u{1b}[1;5B\u{1b}[5~\u{1b}[6~\u{1b}[1~\u{1b}[8~\u{1b}[H"
    + "\u{1b}OF\u{1b}[999999999999999999999~\u{1b}[<0;1;1M\u{1b}x\u{1b}\u{1b}[Cz"

  @Test func keys() {
    var parser = LiveKeyParser()
    #expect(
      parser.keys(Array(Self.all.utf8)) == [
        .character("a"), .character("/"), .character("é"), .character("日"), .character("😀"), .backspace, .backspace,
        .enter, .enter, .clear, .interrupt, .up, .down, .up, .down, .pageUp, .pageDown, .home, .end, .home, .end,
        .click(line: 1), .escape, .character("x"), .escape, .character("z"),
      ])
  }

  @Test func readsMayPartThemAnywhere() {
    let octets = Array(Self.all.utf8)
    var whole = LiveKeyParser()
    let expected = whole.keys(octets)
    for split in 1..<octets.count {
      var parser = LiveKeyParser()
      let keys = parser.keys(Array(octets[..<split])) + parser.keys(Array(octets[split...]))
      #expect(keys == expected, "split at \(split)")
    }
    var single = LiveKeyParser()
    #expect(octets.flatMap { single.keys([$0]) } == expected)
  }

  @Test func escapeIsAKeyWhenNothingFollows() {
    var parser = LiveKeyParser()
    #expect(parser.keys([0x1b]).isEmpty)
    #expect(parser.keys([]) == [.escape])
    #expect(parser.keys([]).isEmpty)
    // What was broken off is forgotten.
    #expect(parser.keys([0x1b, 0x5b]).isEmpty)
    #expect(parser.keys([]).isEmpty)
    #expect(parser.keys([0x41]) == [.character("A")])
  }

  @Test(arguments: [
    [0xff, 0x61], [0xc0, 0x80, 0x61], [0xc3, 0x61], [0xe0, 0x80, 0x80, 0x61], [0xed, 0xa0, 0x80, 0x61],
    [0xf0, 0x9f, 0x98, 0x61], [0xf4, 0x90, 0x80, 0x80, 0x61], [0x80, 0x61], [0xc2, 0x9b, 0x61], [0, 0x61],
    [0x1b, 0x5b, 0x31, 0xff, 0x61],
  ])
  func whatIsNoCharacterIsNone(octets: [UInt8]) {
    var parser = LiveKeyParser()
    #expect(parser.keys(octets) == [.character("a")])
  }

  @Test func anyOctetsAreBorne() {
    var generator = SeededRandom(seed: 7)
    var view = LiveView()
    for _ in 0..<RandomCases.count(2000) {
      let octets = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
        Bool.random(using: &generator) ? UInt8.random(in: 0...255, using: &generator) : 0x1b
      }
      _ = view.key(octets, height: Int.random(in: 0...40, using: &generator))
    }
    #expect(view.filter.unicodeScalars.count <= 100)
  }

  /// Presses and the wheel of the mouse, however reads split them; releases and other buttons are no keys.
  @Test func theMouseIsAKey() {
    let octets = Array("\u{1b}[<0;12;7M\u{1b}[<0;12;7m\u{1b}[<64;1;2M\u{1b}[<65;1;2M\u{1b}[<2;3;4Mq".utf8)
    let expected: [LiveKey] = [.click(line: 7), .up, .down, .character("q")]
    for cut in 0...octets.count {
      var parser = LiveKeyParser()
      // An empty read would end an escape that is alone.
      let first = Array(octets[..<cut])
      let keys = (first.isEmpty ? [] : parser.keys(first)) + parser.keys(Array(octets[cut...]) + [UInt8(ascii: "x")])
      #expect(keys == expected + [.character("x")], "\(cut)")
    }
    var parser = LiveKeyParser()
    #expect(parser.keys(Array("\u{1b}[<99999999999999999999;1;99999999999999999999M".utf8)) == [])
  }
}
