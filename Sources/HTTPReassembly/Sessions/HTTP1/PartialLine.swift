/// What is kept of lines while they are not complete: most lines come whole, so that it has memory of its own.
final class PartialLine {
  /// The part of the line that is kept.
  private(set) var line: [UInt8] = []
  /// The last octets of a line of which not all is kept: a request-line ends with its version.
  private var tail: [UInt8] = []
  /// Octets of the line that have come, kept or not.
  private(set) var length = 0
  /// Where the line starts; means nothing while `length` is 0.
  var start = LineStart(position: 0, arrival: .none)
  /// A complete field line whose continuation could follow (obs-fold), without terminator.
  private var fieldLine: [UInt8] = []
  private(set) var hasFieldLine = false
  /// Whether the field line has a colon: looked for once, since a long one may be folded many times.
  private(set) var isFieldLineNamed = false

  /// Octets of a line's end that are kept beside its start.
  private static let tailLength = 32

  /// Whether nothing is kept.
  var isEmpty: Bool { length == 0 && !hasFieldLine }

  /// Octets of memory that it takes.
  var memory: Int { 144 + line.capacity + tail.capacity + fieldLine.capacity }

  /// Adds octets to the line, and keeps them as far as `limit` allows.
  func keep(_ octets: RawSpan, _ range: Range<Int>, limit: Int) {
    let room = max(limit - line.count, 0)
    let kept = range.lowerBound..<min(range.upperBound, range.lowerBound + room)
    octets.append(kept, to: &line)
    if kept.upperBound < range.upperBound {
      octets.append(max(kept.upperBound, range.upperBound - Self.tailLength)..<range.upperBound, to: &tail)
      tail.removeFirst(max(tail.count - Self.tailLength, 0))
    }
    length += range.count
  }

  /// Takes the line away: what is kept of it, its start and its end.
  func takeLine() -> [UInt8] {
    let whole = line + tail
    forgetLine()
    return whole
  }

  /// Forgets the line.
  func forgetLine() {
    line = []
    tail = []
    length = 0
  }

  /// Keeps a field line, because the next line may be its continuation.
  func keepFieldLine(_ content: RawSpan) {
    content.append(0..<content.byteCount, to: &fieldLine)
    hasFieldLine = true
    isFieldLineNamed = content.firstOffset(of: ASCII.colon, in: 0..<content.byteCount) != nil
  }

  /// Adds a continuation to the field line, unless that gets longer than `limit`.
  func fold(_ content: RawSpan, limit: Int) {
    guard fieldLine.count + content.byteCount < limit else { return }
    fieldLine.append(ASCII.space)
    content.append(content.trimmingWhitespace(0..<content.byteCount), to: &fieldLine)
  }

  /// Takes the field line away.
  func takeFieldLine() -> [UInt8] {
    let content = fieldLine
    fieldLine = []
    hasFieldLine = false
    return content
  }
}
