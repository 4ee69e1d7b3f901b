import Packets

/// In which parts whole lines are written to a file, so that a process that is killed meanwhile leaves whole lines nearly always.
///
/// A system call that writes goes from page to page of the file, and ends between two of them when the process is killed: the
/// file then ends there, in the middle of a line nearly always. So the lines of one page are written together, and a line that
/// goes on in the next page by itself: only between its own two pages it can be cut.
enum LineWrites {
  /// Octets of the least page that a system has: where the others' pages end, these do.
  static let pageLength = 4096

  /// Calls `write` with each part of `lines`, which go to `position` of the file, in octets from its start.
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
          // Not one line ends in this page.
          end = pageEnd
          while end < lines.byteCount, lines.octet(end - 1) != UInt8(ascii: "\n") { end += 1 }
        }
      }
      try write(lines.extracting(start..<end))
      start = end
    }
  }
}
