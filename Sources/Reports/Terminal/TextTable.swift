/// A table of text in columns, fitted to a width.
///
/// Cells are ready to be shown: escaped, without line breaks.
struct TextTable {
  /// A column and how it gives way when there is not enough room.
  struct Column {
    /// What stands above it.
    var title: String
    /// Whether cells stand at its right edge, as numbers do.
    var isRight = true
    /// The least width it is shortened to; nil: never shortened.
    var minimum: Int?
    /// Columns with a lower number are left out first; nil: never left out.
    var importance: Int?
  }

  /// Columns between columns.
  private static let gap = 2

  /// The columns.
  var columns: [Column]
  /// The rows, a cell for each column.
  var rows: [(cells: [String], style: Style)] = []

  /// The lines, none of them wider than `width` unless a column that cannot be shortened is.
  func lines(width: Int, colour: Bool) -> [String] {
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
    // Everybody has the least, and the first that want more get it.
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
