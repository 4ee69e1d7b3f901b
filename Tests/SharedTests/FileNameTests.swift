import Shared
import Testing

@Suite struct FileNameTests {
  /// Every octet, valid names, octets that are no UTF-8, and the characters that stand for octets.
  @Test(arguments: [
    (0...255).map { UInt8($0) }, Array("capture 日本 é.pcap".utf8), [0x63, 0x61, 0x66, 0xe9], [0xff, 0xc3, 0xa9, 0xc3],
    Array("\u{10ff80}\u{10ffff}\u{10ff7f}".utf8), [0xf4, 0x8f, 0xbf], [0xed, 0xa0, 0x80], [],
  ])
  func everyNameComesBack(_ name: [UInt8]) {
    #expect(FileName.octets(of: FileName.text(of: name)) == name)
  }

  @Test func aNameInUTF8IsItsText() {
    #expect(FileName.text(of: Array("日本/é".utf8)) == "日本/é")
    #expect("é".systemName == [CChar(bitPattern: 0xc3), CChar(bitPattern: 0xa9), 0])
  }

  @Test func noTwoNamesHaveOneText() {
    let octet = FileName.text(of: [0xe9])
    #expect(octet == "\u{10ffe9}")
    #expect(FileName.text(of: Array(octet.utf8)) != octet)
  }

  /// The last slash parts a path, also where the next character would combine with it.
  @Test(arguments: [
    ("a/b", "a/", "b"), ("a", "", "a"), ("/a", "/", "a"), ("/", "/", ""), ("a/b/", "a/b/", ""), ("", "", ""),
    ("a/\u{301}b", "a/", "\u{301}b"), ("a//b", "a//", "b"),
  ])
  func aPathHasAFolderAndAName(_ path: String, _ folder: String, _ name: String) {
    #expect(Array(FileName.split(path).folder.utf8) == Array(folder.utf8))
    #expect(Array(FileName.split(path).name.utf8) == Array(name.utf8))
  }
}
