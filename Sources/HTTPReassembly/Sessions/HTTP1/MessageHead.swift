/// The start-line and the header section of a common message.
///
/// All octets are here, ASCII, with lines ended by CRLF. No deciding field is folded or repeated. The target is a path, and
/// the version is known.
///
/// `readOrdinary` changes only the remembered lines. The parser's state machine reads all other heads. It would read these the
/// same way.
///
/// Its methods are mutating, even if they change nothing: otherwise, the compiler would copy the head for each call.
struct MessageHead {
  /// A field line that matters: its place, and its remembered text.
  private struct Field {
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

    /// The range of the line in the octets, including its CRLF; empty without such a field.
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
  }

  private let start: Int
  /// Octets of the start-line.
  private(set) var startLength = 0
  /// Octets of start-line and header section.
  private(set) var length = 0
  /// The end of the method and the start of the target in an unfamiliar request-line.
  private var methodEnd: Int32 = 0
  private var targetStart: Int32 = 0
  private var targetEnd: Int32 = 0
  /// The start-line's familiar line, with its texts retained; nil when it is not familiar.
  private var familiar: FamiliarLines.Line?
  private(set) var isRequest = false
  private(set) var status = 0
  /// The facts from fields that need no texts; with those that do, once the row has them.
  private(set) var section = HeaderSection()
  private var host = Field.none
  private var contentType = Field.none
  private var contentEncoding = Field.none
  private var transferEncoding = Field.none

  /// A head that starts at `offset` of some octets, and is not read yet.
  init(from offset: Int) { start = offset }

  /// Reads the head in `octets`. Returns false if it is not a common one; no text is retained then.
  mutating func readOrdinary(_ octets: RawSpan, _ run: inout Run) -> Bool {
    let limit = min(run.configuration.lineLimit, run.configuration.probeLimit)
    guard octets.byteCount - start >= 18,
      let lineFeed = octets.firstOffset(of: ASCII.lineFeed, in: start..<min(octets.byteCount, start + limit)),
      lineFeed - start >= 13, octets.octet(within: lineFeed - 1) == ASCII.carriageReturn,
      readStartLine(octets, start..<lineFeed + 1, &run)
    else { return false }
    if readFields(octets, limit: limit, &run) { return true }
    release(&run)
    return false
  }

  /// Releases the texts of a head that is not taken.
  mutating func release(_ run: inout Run) {
    if let familiar { run.texts.release([familiar.methodText, familiar.text, familiar.version]) }
    run.texts.release(
      [host.text ?? .none, contentType.text ?? .none, contentEncoding.text ?? .none, transferEncoding.text ?? .none])
  }

  private mutating func readStartLine(_ octets: RawSpan, _ line: Range<Int>, _ run: inout Run) -> Bool {
    startLength = line.count
    length = line.count
    if let slot = run.familiarLines.startLine(in: line, of: octets) {
      let known = run.familiarLines[slot]
      run.texts.retain([known.methodText, known.text, known.version])
      isRequest = known.meaning == .request
      status = isRequest ? 0 : Int(known.number)
      familiar = known
      return true
    }
    let content = octets.extracting(line.lowerBound..<line.upperBound - 2)
    switch StartLine(content) {
    case .request(let request):
      isRequest = true
      guard content.isVersion1(request.version), Method.isRegistered(content, request.method),
        Method.kind(content, request.method) != .connect, !request.target.isEmpty,
        content.octet(request.target.lowerBound) == ASCII.slash, request.version.upperBound == content.byteCount
      else { return false }
      methodEnd = Int32(request.method.upperBound)
      targetStart = Int32(request.target.lowerBound)
      targetEnd = Int32(request.target.upperBound)
    case .response(let response):
      status = response.status
      guard content.isVersion1(response.version) else { return false }
    case nil: return false
    }
    return true
  }

  // MARK: Fields

  /// Reads the header section. Returns false when it is not a common one, or not complete.
  private mutating func readFields(_ octets: RawSpan, limit: Int, _ run: inout Run) -> Bool {
    var offset = start + startLength
    var index = 0
    if run.fieldNotes.isWanted { run.fieldNotes.startSection() }
    let count = octets.byteCount
    // The octet after a field line shows that it is not folded. For the first line, it shows that it is a field line.
    guard offset < count, !octets.octet(within: offset).isWhitespace else { return false }
    while true {
      if let slot = run.familiarLines.field(at: offset, in: octets, index: index) {
        let length = Int(run.familiarLines[slot].length)
        if run.fieldNotes.isWanted {
          let (name, mark) = (run.familiarLines[slot].name, run.familiarLines[slot].mark)
          run.fieldNotes.add(.init(name: name, length: Int32(length), expanded: Int32(length), value: mark))
        }
        if run.familiarLines[slot].meaning != .none {
          // It is retained, because another line may take its slot before the end of the section.
          let line = run.familiarLines[slot]
          run.texts.retain(line.text)
          let field = Field(lines: offset..<offset + length, value: line.value, index: index, text: line.text)
          guard take(line.meaning, field, octets) else {
            run.texts.release(line.text)
            return false
          }
        }
        offset += length
      } else if octets.isLineEnd(at: offset) {
        length = offset + 2 - start
        return true
      } else {
        guard let line = OrdinaryFieldLine(octets, from: offset), line.end - offset <= limit,
          !line.field.hasSpaceBeforeColon
        else { return false }
        let field = Field(lines: offset..<line.end, value: line.field.value, index: index)
        guard takeNew(field, name: line.field.name, octets, &run) else { return false }
        offset = line.end
      }
      index += 1
    }
  }

  /// Takes an unfamiliar field line. Returns false when the state machine has to read it.
  private mutating func takeNew(_ field: Field, name: Range<Int>, _ octets: RawSpan, _ run: inout Run) -> Bool {
    let line = octets.extracting(field.content)
    var note: FieldNotes.Line?
    if run.fieldNotes.isWanted {
      let new = run.fieldNotes.line(line.extracting(name), line.extracting(field.value), length: field.line.count)
      run.fieldNotes.add(new)
      note = new
    }
    var meaning = FamiliarLines.Meaning.none
    switch KnownField(line, name) {
    case nil: break
    case .contentLength:
      // Lengths rarely repeat, so they are not remembered.
      guard !section.framing.hasContentLength else { return false }
      section.framing.addContentLength(line, field.value)
      return true
    case .altSvc:
      section.alternatives.formUnion(AlternativeServices(line.extracting(field.value)))
      return true
    case .http2Settings, .grpcEncoding, .grpcStatus, .webSocketExtensions: return false
    case .upgrade:
      guard !field.value.isEmpty, !line.contains("h2c", in: field.value), !line.contains("websocket", in: field.value)
      else { return false }
      meaning = .upgrade
    case .connection:
      if line.contains("upgrade", in: field.value) { meaning = .connectionUpgrade }
    case .host: return take(.host, field, octets)
    case .contentType: return take(.contentType, field, octets)
    case .contentEncoding: return take(.contentEncoding, field, octets)
    case .transferEncoding: return take(.transferEncoding, field, octets)
    }
    var remembered = FamiliarLines.Line(meaning: meaning)
    remembered.value = field.value
    if let note { (remembered.name, remembered.mark) = (note.name, note.value) }
    run.familiarLines.remember(
      field: field.line, of: octets, index: field.index, remembered, &run.texts)
    return meaning == .none || take(meaning, field, octets)
  }

  /// Takes a field that matters. Returns false when it is repeated, because the state machine has to combine the fields.
  private mutating func take(_ meaning: FamiliarLines.Meaning, _ field: Field, _ octets: RawSpan) -> Bool {
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
      let line = octets.extracting(field.content)
      section.framing.addTransferEncoding(line, field.value)
    case .upgrade:
      guard !section.hasUpgrade else { return false }
      section.hasUpgrade = true
    case .connectionUpgrade: section.connectionUpgrades = true
    case .none, .request, .response: break
    }
    return true
  }

  // MARK: Texts

  /// The contents of the request-line, with its texts retained.
  mutating func request(_ octets: RawSpan, _ run: inout Run) -> RequestStart {
    if let familiar {
      return RequestStart(
        kind: familiar.method, method: familiar.methodText, path: familiar.text, version: familiar.version,
        queryLength: familiar.number < 0 ? nil : Int(familiar.number), target: familiar.mark)
    }
    let content = octets.extracting(start..<start + startLength - 2)
    let request = RequestLine(
      method: 0..<Int(methodEnd), target: Int(targetStart)..<Int(targetEnd),
      version: content.byteCount - 8..<content.byteCount)
    let found = RequestStart(request, content, &run)
    var line = FamiliarLines.Line(meaning: .request)
    line.method = found.kind
    line.methodText = found.method
    line.text = found.path
    line.version = found.version
    line.mark = found.target
    line.number = found.queryLength.map { Int32(truncatingIfNeeded: $0) } ?? -1
    run.familiarLines.remember(startLine: start..<start + startLength, of: octets, line, &run.texts)
    return found
  }

  /// The status-line's version, retained.
  mutating func version(_ octets: RawSpan, _ run: inout Run) -> TextID {
    if let familiar { return familiar.version }
    let content = octets.extracting(start..<start + startLength - 2)
    var line = FamiliarLines.Line(meaning: .response)
    line.version = run.texts.intern(content.extracting(0..<8))
    line.number = Int32(truncatingIfNeeded: status)
    run.familiarLines.remember(startLine: start..<start + startLength, of: octets, line, &run.texts)
    return line.version
  }

  /// Writes the fields into the row of the message.
  mutating func takeFields(_ octets: RawSpan, of row: RowIndex, _ run: inout Run) {
    if run.fieldNotes.isWanted { run.fieldNotes.endSection(of: row) }
    if host.isThere, !isRequest, let text = host.text { run.texts.release(text) }
    if host.isThere, isRequest {
      section.hostCount = 1
      let name =
        run.connection.beneath.isSecure
        ? secureHost(octets, &run)
        : Self.text(host, .host, octets, &run) { line, value, texts in
          HostName.intern(line, value, defaultPort: ":80", &texts)
        }
      if name != .none {
        run.rows[message: row].host = name
        run.rows[message: row].hostSource = .hostField
      }
    }
    if !section.alternatives.isEmpty { run.rows[message: row].alternatives = section.alternatives }
    if contentType.isThere { run.rows[message: row].contentType = Self.text(contentType, .contentType, octets, &run) }
    if contentEncoding.isThere {
      run.rows[message: row].contentEncoding = Self.text(contentEncoding, .contentEncoding, octets, &run)
    }
    if transferEncoding.isThere {
      run.rows[message: row].transferEncoding = Self.text(transferEncoding, .transferEncoding, octets, &run)
    }
  }

  /// The host of a request over TLS. A familiar line may have lost the default port of clear text, but TLS has another.
  private mutating func secureHost(_ octets: RawSpan, _ run: inout Run) -> TextID {
    if let text = host.text { run.texts.release(text) }
    return HostName.intern(octets.extracting(host.content), host.value, defaultPort: ":443", &run.texts)
  }

  /// The retained text of a field, from the familiar line or from a new line that is remembered.
  @inline(__always)
  private static func text(
    _ field: Field, _ meaning: FamiliarLines.Meaning, _ octets: RawSpan, _ run: inout Run,
    _ intern: (RawSpan, Range<Int>, inout TextPool) -> TextID = { $2.intern($0.extracting($1)) }
  ) -> TextID {
    if let text = field.text { return text }
    let text = intern(octets.extracting(field.content), field.value, &run.texts)
    var line = FamiliarLines.Line(meaning: meaning)
    line.value = field.value
    line.text = text
    if run.fieldNotes.isWanted {
      let content = octets.extracting(field.content)
      let colon = content.firstOffset(of: ASCII.colon, in: 0..<content.byteCount) ?? 0
      line.name = run.fieldNotes.number(of: content.extracting(0..<colon))
      line.mark = OctetMark.of(content.extracting(field.value))
    }
    run.familiarLines.remember(field: field.line, of: octets, index: field.index, line, &run.texts)
    return text
  }
}

extension RawSpan {
  /// Whether the octets in `range` are `HTTP/1.1` or `HTTP/1.0`.
  @inline(__always)
  fileprivate func isVersion1(_ range: Range<Int>) -> Bool {
    range.count == 8 && (isVersion11(at: range.lowerBound) || matchesExactly("HTTP/1.0", at: range.lowerBound))
  }
}
