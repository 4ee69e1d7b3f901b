/// The kept octets of incomplete lines. Most lines come whole, so it has memory of its own.
final class PartialLine {
  /// The kept part of the line.
  private(set) var line: [UInt8] = []
  /// The last octets of a line that is not kept whole. A request-line ends with its version.
  private var tail: [UInt8] = []
  /// The number of octets of the line so far, kept or not.
  private(set) var length = 0
  /// The start of the line; meaningless while `length` is 0.
  var start = LineStart(position: 0, arrival: .none)
  /// A complete field line whose continuation could follow (obs-fold), without terminator.
  private var fieldLine: [UInt8] = []
  private(set) var hasFieldLine = false
  /// Whether the field line has a colon. It is searched once, since a long line may be folded many times.
  private(set) var isFieldLineNamed = false

  /// Octets kept from a line's end, besides its start.
  private static let tailLength = 32

  /// Whether no octets are kept.
  var isEmpty: Bool { length == 0 && !hasFieldLine }

  /// Octets of its memory.
  var memory: Int { 144 + line.capacity + tail.capacity + fieldLine.capacity }

  /// Adds octets to the line, and keeps them up to `limit`.
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

  /// Removes and returns the kept octets of the line: its start and its end.
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

  /// Adds a continuation to the field line, unless the result would exceed `limit`.
  func fold(_ content: RawSpan, limit: Int) {
    guard fieldLine.count + content.byteCount < limit else { return }
    fieldLine.append(ASCII.space)
    content.append(content.trimmingWhitespace(0..<content.byteCount), to: &fieldLine)
  }

  /// Removes and returns the field line.
  func takeFieldLine() -> [UInt8] {
    let content = fieldLine
    fieldLine = []
    hasFieldLine = false
    return content
  }
}
