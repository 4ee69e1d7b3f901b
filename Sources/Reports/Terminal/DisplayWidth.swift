/// How many columns of a terminal text takes.
enum DisplayWidth {
  /// Ranges that take two columns: East Asian wide and full-width characters (Unicode, UAX 11), in blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f,
    0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6,
    0x16fe0...0x18dff, 0x1aff0...0x1b2ff, 0x1f200...0x1f2ff, 0x20000...0x3fffd,
  ]

  /// The columns of one character: 0 for a combining mark, 2 for a wide one, else 1.
  static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    for range in wide where scalar.value <= range.upperBound { return scalar.value >= range.lowerBound ? 2 : 1 }
    return 1
  }

  /// The columns of a text.
  static func of(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + of($1) }
  }
}

extension String {
  /// The text in at most `width` columns: when it is too long its middle becomes `…`, for the start of a name tells
  /// whose it is and the end what it is.
  func shortened(to width: Int) -> String {
    guard DisplayWidth.of(self) > width else { return self }
    guard width > 0 else { return "" }
    let scalars = Array(unicodeScalars)
    var head = 0
    var headWidth = 0
    while head < scalars.count, headWidth + DisplayWidth.of(scalars[head]) <= width / 2 {
      headWidth += DisplayWidth.of(scalars[head])
      head += 1
    }
    var tail = scalars.count
    var tailWidth = 0
    while tail > head, headWidth + 1 + tailWidth + DisplayWidth.of(scalars[tail - 1]) <= width {
      tailWidth += DisplayWidth.of(scalars[tail - 1])
      tail -= 1
    }
    // A mark without its character would combine with the ellipsis.
    while tail < scalars.count, DisplayWidth.of(scalars[tail]) == 0 { tail += 1 }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: scalars[..<head])
    result.append("…")
    result.append(contentsOf: scalars[tail...])
    return String(result)
  }

  /// The text filled up with spaces to `width` columns.
  func padded(to width: Int, right: Bool) -> String {
    let fill = String(repeating: " ", count: max(width - DisplayWidth.of(self), 0))
    return right ? fill + self : self + fill
  }
}
