import Packets

/// Carriage returns that a terminal, or a program that writes text, put before line feeds of a capture.
enum InsertedReturns {
  /// Line feeds that must be there. One or two could follow a carriage return by chance.
  private static let leastLineFeeds = 4

  /// The way to a capture without them.
  static let way = "fetch it anew as binary data, as in: adb exec-out tcpdump -w -"

  /// Whether each line feed follows a carriage return, and not only at the ends of lines of text. A line end of HTTP then has two
  /// carriage returns.
  static func areLikely(in octets: RawSpan) -> Bool {
    var lineFeeds = 0
    var endsNoText = false
    for index in 0..<octets.byteCount where octets.octet(index) == 0x0a {
      lineFeeds += 1
      guard index > 0, octets.octet(index - 1) == 0x0d else { return false }
      // Lines of text end with something to be seen, and empty ones follow a line feed.
      if index > 1, !(0x20..<0x7f ~= octets.octet(index - 2)), octets.octet(index - 2) != 0x0a { endsNoText = true }
    }
    return lineFeeds >= leastLineFeeds && endsNoText
  }
}
