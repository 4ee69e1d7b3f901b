import Packets

/// Divides lines into writes, so that a killed process nearly always leaves whole lines.
///
/// The kernel writes a file page by page. If the process is killed, the write ends between two pages, mostly in the middle of a line. So
/// the lines of one page are written together, and a line that crosses into the next page is written alone. Then only that line can be cut.
enum LineWrites {
  /// The smallest page size of any system, in octets. Larger pages end at multiples of it.
  static let pageLength = 4096

  /// Calls `write` with each part of `lines`. `position` is their offset in the file, in octets.
  static func forEach<Failure: Error>(
    _ lines: RawSpan, at position: Int, _ write: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    while start < lines.byteCount {
      let pageEnd = start + pageLength - (position + start) % pageLength
      var end = min(pageEnd, lines.byteCount)
      if end < lines.byteCount {
        while end > start, lines.octet(end - 1) != UInt8(ascii: "\n") { end -= 1 }
        if end == start {
          // No line ends in this page.
          end = pageEnd
          while end < lines.byteCount, lines.octet(end - 1) != UInt8(ascii: "\n") { end += 1 }
        }
      }
      try write(lines.extracting(start..<end))
      start = end
    }
  }
}
