import Tabular

/// A table of text in columns, fitted to a width.
///
/// Cells are ready for display: escaped, without line breaks.
package struct TextTable {
  /// A column and the way to shorten it or leave it out if there is not enough room.
  package struct Column {
    /// Its title.
    package var title: String
    /// Whether cells are aligned right, as numbers are.
    package var isRight = true
    /// The least width that it is shortened to; nil if it is never shortened.
    package var minimum: Int?
    /// Columns with a lower number are left out first; nil if it is never left out.
    package var importance: Int?

    /// A column.
    package init(title: String, isRight: Bool = true, minimum: Int? = nil, importance: Int? = nil) {
      self.title = title
      self.isRight = isRight
      self.minimum = minimum
      self.importance = importance
    }
  }

  /// Spaces between columns.
  private static let gap = 2

  /// The columns.
  package var columns: [Column]
  /// The rows, a cell for each column.
  package var rows: [(cells: [String], style: Style)] = []

  /// A table without rows.
  package init(columns: [Column]) { self.columns = columns }

  /// The lines. They are not wider than `width`, unless a column that cannot be shortened is.
  package func lines(width: Int, colour: Bool) -> [String] {
    let natural = columns.indices.map { index in
      rows.reduce(DisplayWidth.of(columns[index].title)) { max($0, DisplayWidth.of($1.cells[index])) }
    }
    var shown = Array(columns.indices)
    func least() -> Int {
      shown.reduce(Self.gap * (shown.count - 1)) { $0 + min(natural[$1], columns[$1].minimum ?? .max) }
    }
    while least() > width,
      let dropped = shown.filter({ columns[$0].importance != nil })
        .min(by: { columns[$0].importance ?? 0 < columns[$1].importance ?? 0 })
    {
      shown.removeAll { $0 == dropped }
    }
    // Each column gets its least width, and the first that need more get it.
    var room = width - least()
    var widths = natural
    for index in shown {
      guard let minimum = columns[index].minimum, natural[index] > minimum else { continue }
      let extra = min(natural[index] - minimum, max(room, 0))
      widths[index] = minimum + extra
      room -= extra
    }
    func line(_ cells: [String]) -> String {
      let padded = shown.map { index in
        cells[index].shortened(to: widths[index]).padded(to: widths[index], right: columns[index].isRight)
      }
      var text = padded.joined(separator: String(repeating: " ", count: Self.gap))
      while text.last == " " { text.removeLast() }
      return text
    }
    return [Style.heading.apply(line(columns.map(\.title)), colour: colour)]
      + rows.map { $0.style.apply(line($0.cells), colour: colour) }
  }
}

/// The number of terminal columns that text takes.
package enum DisplayWidth {
  /// Ranges of characters that take two columns: East Asian wide and full-width characters (Unicode, UAX 11), in blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f,
    0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6,
    0x16fe0...0x18dff, 0x1aff0...0x1b2ff, 0x1f200...0x1f2ff, 0x20000...0x3fffd,
  ]

  /// The columns of one character: 0 for a combining mark, 2 for a wide one, else 1.
  package static func of(_ scalar: Unicode.Scalar) -> Int {
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
  package static func of(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + of($1) }
  }
}

extension String {
  /// The text in at most `width` columns. In a text that is too long, `…` replaces the middle: the start of a name tells its
  /// owner, and the end its subject.
  package func shortened(to width: Int) -> String {
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

  /// The text padded with spaces to `width` columns.
  package func padded(to width: Int, right: Bool) -> String {
    let fill = String(repeating: " ", count: max(width - DisplayWidth.of(self), 0))
    return right ? fill + self : self + fill
  }
}

extension String {
  /// The text in lines of at most `width` columns, broken at spaces.
  package func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, DisplayWidth.of(last) + 1 + DisplayWidth.of(String(word)) <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
