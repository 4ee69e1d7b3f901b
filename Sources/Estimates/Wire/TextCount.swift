import HTTPReassembly

/// Counts the characters of a text in UTF-8 (RFC 3629) that comes in pieces. Some programs take the length of a string for the
/// number of its octets.
struct TextCount {
  /// Octets so far.
  private(set) var octets = 0
  private var characters = 0
  /// Characters beyond U+FFFF, each two units in UTF-16.
  private var supplementary = 0
  /// Octets that the character in progress still needs.
  private var open = 0
  private var isText = true

  /// Adds a piece.
  mutating func add(_ piece: RawSpan) {
    octets += piece.byteCount
    guard isText else { return }
    for offset in 0..<piece.byteCount {
      let octet = piece.octet(offset)
      if open > 0 {
        guard octet & 0xc0 == 0x80 else {
          isText = false
          return
        }
        open -= 1
        continue
      }
      switch octet {
      case 0..<0x80: break
      case 0xc2..<0xe0: open = 1
      case 0xe0..<0xf0: open = 2
      case 0xf0..<0xf5:
        open = 3
        supplementary += 1
      default:
        isText = false
        return
      }
      characters += 1
    }
  }

  /// Characters and UTF-16 units; nil when the text is not UTF-8.
  var counts: (characters: Int, utf16Units: Int)? {
    isText && open == 0 ? (characters, characters + supplementary) : nil
  }
}
