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

// The fields that a reader of messages must understand (RFC 9110 §5, RFC 9112 §6.3).

extension HeaderSection {
  /// Takes a field of the message with this row.
  mutating func take(
    _ known: KnownField, _ line: RawSpan, _ value: Range<Int>, of row: RowIndex, _ run: inout Run
  ) {
    switch known {
    case .contentLength: framing.addContentLength(line, value)
    case .transferEncoding:
      framing.addTransferEncoding(line, value)
      let text = run.rows[message: row].transferEncoding
      run.rows[message: row].transferEncoding = Self.combined(text, line.extracting(value), &run.texts)
    case .contentEncoding:
      let text = run.rows[message: row].contentEncoding
      run.rows[message: row].contentEncoding = Self.combined(text, line.extracting(value), &run.texts)
    case .contentType:
      guard run.rows[message: row].contentType == .none else { break }
      run.rows[message: row].contentType = run.texts.intern(line.extracting(value))
    case .altSvc: takeAlternatives(line.extracting(value))
    case .grpcEncoding: grpcEncoding = GRPCEncoding(line.extracting(value))
    case .grpcStatus: run.rows[message: row].grpcStatus = line.extracting(value).grpcStatus
    case .host where run.rows[message: row].kind == .request:
      hostCount += 1
      // The target's authority overrides Host (RFC 9112 §3.2.2). Of several Host fields, the first counts.
      guard run.rows[message: row].hostSource == .unknown else { break }
      let host = HostName.intern(
        line, value, defaultPort: run.connection.beneath.isSecure ? ":443" : ":80", &run.texts)
      guard host != .none else { break }
      run.rows[message: row].host = host
      run.rows[message: row].hostSource = .hostField
    case .upgrade:
      hasUpgrade = !value.isEmpty
      if line.contains("h2c", in: value) { upgradesToHTTP2 = true }
      if line.contains("websocket", in: value) { webSocket.insert(.named) }
    case .webSocketExtensions: webSocket.takeExtensions(line, value)
    case .http2Settings: tableSize = UpgradeSettings.tableSize(line, value)
    case .connection:
      if line.contains("upgrade", in: value) { connectionUpgrades = true }
    case .host: break
    }
  }

  /// Takes the value of Alt-Svc.
  mutating func takeAlternatives(_ value: RawSpan) { alternatives.formUnion(AlternativeServices(value)) }

  /// The longest list of codings that is combined from several field lines, in octets. Real lists are far shorter, and each line copies the
  /// lines before it.
  private static let combinedLimit = 1024

  /// Combines field lines of the same name into one list (RFC 9110 §5.3). Returns the text of the list, in place of `text`.
  private static func combined(_ text: TextID, _ value: RawSpan, _ texts: inout TextPool) -> TextID {
    guard text != .none else { return texts.intern(value) }
    guard texts.length(text) + value.byteCount < combinedLimit else { return text }
    var combined = texts.octets(text)
    combined.append(ASCII.comma)
    combined.append(ASCII.space)
    value.append(0..<value.byteCount, to: &combined)
    texts.release(text)
    return texts.intern(combined)
  }
}

extension RawSpan {
  /// The number in the octets of `grpc-status`; nil if they are no decimal number or have more than five digits.
  var grpcStatus: Int? {
    guard byteCount > 0, byteCount <= 5 else { return nil }
    var value = 0
    for offset in 0..<byteCount {
      guard octet(offset).isDigit else { return nil }
      value = value * 10 + Int(octet(offset) - 0x30)
    }
    return value
  }

  /// Whether `text` (lower-case) is an element of the comma-separated list in `range`.
  func contains(_ text: StaticString, in range: Range<Int>) -> Bool {
    var offset = range.lowerBound
    while let element = nextElement(&offset, in: range) {
      if element.count == text.utf8CodeUnitCount, matches(text, at: element.lowerBound) { return true }
    }
    return false
  }
}

/// Facts gathered from a message's header section while it is read.
struct HeaderSection {
  var framing = FramingFields()
  var hostCount = 0
  /// Whether there is an Upgrade field with a protocol.
  var hasUpgrade = false
  /// Whether Upgrade names HTTP/2 without TLS (RFC 7540 §3.2).
  var upgradesToHTTP2 = false
  /// The terms of a WebSocket.
  var webSocket: WebSocketTerms = []
  /// The dynamic table size that HTTP2-Settings allows, in octets; nil if it sets none.
  var tableSize: Int?
  /// Whether Connection names `upgrade`.
  var connectionUpgrades = false
  /// The coding of the messages of gRPC-Web.
  var grpcEncoding = GRPCEncoding.identity
  /// The offers of Alt-Svc.
  var alternatives: AlternativeServices = []
  /// Whether non-ASCII octets have been noted.
  var notedNonASCII = false
}
