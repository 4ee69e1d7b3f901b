/// The facts of a header section that is read at once. Places are offsets from the section's start.
struct SectionFacts {
  /// A field line that matters: its place, and its remembered text.
  struct Field {
    private var lineStart: Int32 = 0
    private var lineLength: Int32 = 0
    private var valueStart: Int32 = 0
    private var valueEnd: Int32 = 0
    private var number: Int32 = 0
    /// The retained text of the familiar line; nil when the line is not familiar.
    var text: TextID?

    static var none: Field { Field(lines: 0..<0, value: 0..<0, index: 0) }

    @inline(__always)
    init(lines: Range<Int>, value: Range<Int>, index: Int, text: TextID? = nil) {
      lineStart = Int32(truncatingIfNeeded: lines.lowerBound)
      lineLength = Int32(truncatingIfNeeded: lines.count)
      valueStart = Int32(truncatingIfNeeded: value.lowerBound)
      valueEnd = Int32(truncatingIfNeeded: value.upperBound)
      number = Int32(truncatingIfNeeded: index)
      self.text = text
    }

    /// The range of the line in the section, including its CRLF; empty without such a field.
    @inline(__always)
    var line: Range<Int> { Int(lineStart)..<Int(lineStart &+ lineLength) }
    /// The range of the line without the CRLF.
    @inline(__always)
    var content: Range<Int> { Int(lineStart)..<Int(lineStart &+ lineLength &- 2) }
    /// The range of the value, from the line's start.
    @inline(__always)
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    /// The line's place in its section.
    @inline(__always)
    var index: Int { Int(number) }
    @inline(__always)
    var isThere: Bool { lineLength > 0 }
    /// Whether the text is known, if there is a field.
    @inline(__always)
    fileprivate var isFamiliar: Bool { !isThere || text != nil }

    /// Moves the field if a line before it became longer.
    fileprivate mutating func move(behind line: Int, by octets: Int) {
      if isThere, index > line { lineStart &+= Int32(truncatingIfNeeded: octets) }
    }
  }

  /// The facts from fields that need no texts; with those that do, once the row has them.
  var section = HeaderSection()
  private(set) var host = Field.none
  private(set) var contentType = Field.none
  private(set) var contentEncoding = Field.none
  private(set) var transferEncoding = Field.none

  /// The retained texts.
  @inline(__always)
  var texts: InlineArray<4, TextID> {
    [host.text ?? .none, contentType.text ?? .none, contentEncoding.text ?? .none, transferEncoding.text ?? .none]
  }

  /// Whether the texts of all fields are known, but for one whose text is not used.
  func isFamiliar(exceptHost: Bool) -> Bool {
    (exceptHost || host.isFamiliar) && contentType.isFamiliar && contentEncoding.isFamiliar
      && transferEncoding.isFamiliar
  }

  /// Takes a field that matters. Returns false when it is repeated, because the state machine has to combine the fields.
  mutating func take(_ meaning: FamiliarLines.Meaning, _ field: Field, _ octets: RawSpan) -> Bool {
    switch meaning {
    case .host:
      guard !host.isThere else { return false }
      host = field
    case .contentType:
      guard !contentType.isThere else { return false }
      contentType = field
    case .contentEncoding:
      guard !contentEncoding.isThere else { return false }
      contentEncoding = field
    case .transferEncoding:
      guard !transferEncoding.isThere else { return false }
      transferEncoding = field
      section.framing.addTransferEncoding(octets.extracting(field.content), field.value)
    case .upgrade:
      guard !section.hasUpgrade else { return false }
      section.hasUpgrade = true
    case .connectionUpgrade: section.connectionUpgrades = true
    case .none, .request, .response: break
    }
    return true
  }

  /// Moves the fields behind a line that became longer by so many octets.
  mutating func move(behind line: Int, by octets: Int) {
    host.move(behind: line, by: octets)
    contentType.move(behind: line, by: octets)
    contentEncoding.move(behind: line, by: octets)
    transferEncoding.move(behind: line, by: octets)
  }
}
