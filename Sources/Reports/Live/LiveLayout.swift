/// Which lines of the screen show what: the state at the top, the keys at the bottom, the APIs between them.
struct LiveLayout {
  /// Lines of the state of the capture.
  let status: Int
  /// Lines of APIs, without their header.
  let rows: Int

  /// Divides a screen of `height` lines.
  init(height: Int) {
    status = height >= 10 ? 2 : 1
    rows = max(height - status - 2, 0)
  }
}

/// Pieces of a line with a style each, of which those that matter least are left out where there is not enough room.
struct LiveLine {
  /// A part of the line.
  struct Piece {
    /// What it says: escaped, without line breaks.
    var text: String
    /// How it looks.
    var style = Style.plain
    /// Pieces with a lower number are left out first.
    var importance: Int
  }

  private static let gap = "  "

  /// The pieces, from left to right.
  var pieces: [Piece]

  /// The line in at most `width` columns.
  func text(width: Int, colour: Bool) -> String {
    var shown = pieces.filter { !$0.text.isEmpty }
    func total() -> Int { shown.reduce(-Self.gap.count) { $0 + Self.gap.count + DisplayWidth.of($1.text) } }
    while shown.count > 1, total() > width,
      let least = shown.indices.min(by: { shown[$0].importance < shown[$1].importance })
    {
      shown.remove(at: least)
    }
    return shown.map { $0.style.apply($0.text.shortened(to: width), colour: colour) }.joined(separator: Self.gap)
  }
}
