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
  private let start: Int
  /// Octets of the start-line.
  private(set) var startLength = 0
  /// Octets of start-line and header section.
  private(set) var length = 0
  /// The end of the method and the start of the target in an unfamiliar request-line.
  private var methodEnd: Int32 = 0
  private var targetStart: Int32 = 0
  private var targetEnd: Int32 = 0
  /// The end of the start-line's part that is remembered.
  private var familiarEnd: Int32 = 0
  /// The start-line's familiar line, with its texts retained; nil when it is not familiar.
  private var familiar: FamiliarLines.Line?
  private(set) var isRequest = false
  private(set) var status = 0
  /// The facts of the header section; without texts of fields that are not familiar until the row has them.
  private(set) var facts = SectionFacts()

  /// A head that starts at `offset` of some octets, and is not read yet.
  init(from offset: Int) { start = offset }

  /// Reads the head in `octets`. Returns false if it is not a common one; no text is retained then.
  mutating func readOrdinary(_ octets: RawSpan, _ run: inout Run) -> Bool {
    let limit = min(run.configuration.lineLimit, run.configuration.probeLimit)
    let end = min(octets.byteCount, start + limit)
    guard octets.byteCount - start >= 18,
      let first = octets.firstOffset(
        in: start..<end, { $0.matches(ASCII.lineFeed) | $0.matches(ASCII.questionMark) }),
      let lineFeed = octets.octet(within: first) == ASCII.lineFeed
        ? first : octets.firstOffset(of: ASCII.lineFeed, in: first..<end),
      lineFeed - start >= 13, octets.octet(within: lineFeed - 1) == ASCII.carriageReturn,
      readStartLine(octets, start..<lineFeed + 1, first, &run)
    else { return false }
    if readFields(octets, limit: limit, &run) { return true }
    release(&run)
    return false
  }

  /// Releases the texts of a head that is not taken.
  mutating func release(_ run: inout Run) {
    if let familiar { run.texts.release([familiar.methodText, familiar.text, familiar.version]) }
    run.texts.release(facts.texts)
  }

  /// Reads the start-line, whose first `?` or LF is at `first`.
  private mutating func readStartLine(
    _ octets: RawSpan, _ line: Range<Int>, _ first: Int, _ run: inout Run
  ) -> Bool {
    startLength = line.count
    length = line.count
    // Queries rarely repeat. The octets before one decide all but its length, if the line ends as nearly every one does.
    let hasQuery =
      octets.octet(within: first) == ASCII.questionMark && octets.isVersion11(at: line.upperBound - 10)
      && octets.octet(within: line.upperBound - 11) == ASCII.space
      && !octets.octet(within: line.upperBound - 12).isWhitespace && line.upperBound - 11 > first
    let familiarPart = line.lowerBound..<(hasQuery ? first + 1 : line.upperBound)
    familiarEnd = Int32(familiarPart.upperBound - line.lowerBound)
    if let slot = run.familiar.lines.startLine(in: familiarPart, of: octets) {
      var known = run.familiar.lines[slot]
      run.texts.retain([known.methodText, known.text, known.version])
      if hasQuery {
        known.number = Int32(truncatingIfNeeded: line.upperBound - 11 - familiarPart.upperBound)
        if run.notes.contents.isWanted {
          let target = line.lowerBound + known.value.lowerBound..<line.upperBound - 11
          known.mark = OctetMark.of(octets.extracting(target))
        }
      }
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
    let octets = octets.extracting((start + startLength)...)
    let slot = FamiliarSections.slot(octets, connection: run.connection.number, status: status)
    if run.notes.fields.isWanted { run.notes.fields.startSection() }
    if let slot, let known = run.familiar.sections.read(octets, in: slot, limit: limit, &run.notes.fields) {
      facts = run.familiar.sections.facts(in: slot)
      run.texts.retain(facts.texts)
      length = startLength + known + 2
      return true
    }
    guard let read = readLines(octets, limit: limit, &run) else { return false }
    length = startLength + read + 2
    if let slot, facts.isFamiliar(exceptHost: run.connection.beneath.isSecure) {
      run.familiar.sections.remember(octets.extracting(0..<read), facts, in: slot, run.notes.fields, &run.texts)
    }
    return true
  }

  /// Reads a header section line by line. Returns its length without the empty line; nil when it is not a common one, or not complete.
  private mutating func readLines(_ octets: RawSpan, limit: Int, _ run: inout Run) -> Int? {
    var offset = 0
    var index = 0
    let count = octets.byteCount
    // The octet after a field line shows that it is not folded. For the first line, it shows that it is a field line.
    guard offset < count, !octets.octet(within: offset).isWhitespace else { return nil }
    while true {
      if let slot = run.familiar.lines.field(at: offset, in: octets, index: index) {
        let length = Int(run.familiar.lines[slot].length)
        if run.notes.fields.isWanted {
          let (name, mark) = (run.familiar.lines[slot].name, run.familiar.lines[slot].mark)
          run.notes.fields.add(.init(name: name, length: Int32(length), expanded: Int32(length), value: mark))
        }
        if run.familiar.lines[slot].meaning != .none {
          // It is retained, because another line may take its slot before the end of the section.
          let line = run.familiar.lines[slot]
          run.texts.retain(line.text)
          let field = SectionFacts.Field(
            lines: offset..<offset + length, value: line.value, index: index, text: line.text)
          guard facts.take(line.meaning, field, octets) else {
            run.texts.release(line.text)
            return nil
          }
        }
        offset += length
      } else if octets.isLineEnd(at: offset) {
        return offset
      } else {
        guard let line = OrdinaryFieldLine(octets, from: offset), line.end - offset <= limit,
          !line.field.hasSpaceBeforeColon
        else { return nil }
        let field = SectionFacts.Field(lines: offset..<line.end, value: line.field.value, index: index)
        guard takeNew(field, name: line.field.name, octets, &run) else { return nil }
        offset = line.end
      }
      index += 1
    }
  }

  /// Takes an unfamiliar field line. Returns false when the state machine has to read it.
  private mutating func takeNew(
    _ field: SectionFacts.Field, name: Range<Int>, _ octets: RawSpan, _ run: inout Run
  ) -> Bool {
    let line = octets.extracting(field.content)
    var note: FieldNotes.Line?
    if run.notes.fields.isWanted {
      let new = run.notes.fields.line(line.extracting(name), line.extracting(field.value), length: field.line.count)
      run.notes.fields.add(new)
      note = new
    }
    var meaning = FamiliarLines.Meaning.none
    switch KnownField(line, name) {
    case nil: break
    case .contentLength:
      // Lengths rarely repeat, so they are not remembered.
      guard !facts.section.framing.hasContentLength else { return false }
      facts.section.framing.addContentLength(line, field.value)
      return true
    case .altSvc:
      facts.section.takeAlternatives(line.extracting(field.value))
      return true
    case .http2Settings, .grpcEncoding, .grpcStatus, .webSocketExtensions: return false
    case .upgrade:
      guard !field.value.isEmpty, !line.contains("h2c", in: field.value), !line.contains("websocket", in: field.value)
      else { return false }
      meaning = .upgrade
    case .connection:
      if line.contains("upgrade", in: field.value) { meaning = .connectionUpgrade }
    case .host: return facts.take(.host, field, octets)
    case .contentType: return facts.take(.contentType, field, octets)
    case .contentEncoding: return facts.take(.contentEncoding, field, octets)
    case .transferEncoding: return facts.take(.transferEncoding, field, octets)
    }
    var remembered = FamiliarLines.Line(meaning: meaning)
    remembered.value = field.value
    if let note { (remembered.name, remembered.mark) = (note.name, note.value) }
    run.familiar.lines.remember(
      field: field.line, of: octets, index: field.index, remembered, &run.texts)
    return meaning == .none || facts.take(meaning, field, octets)
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
    line.value = request.target.lowerBound..<Int(familiarEnd)
    run.familiar.lines.remember(startLine: start..<start + Int(familiarEnd), of: octets, line, &run.texts)
    return found
  }

  /// The status-line's version, retained.
  mutating func version(_ octets: RawSpan, _ run: inout Run) -> TextID {
    if let familiar { return familiar.version }
    let content = octets.extracting(start..<start + startLength - 2)
    var line = FamiliarLines.Line(meaning: .response)
    line.version = run.texts.intern(content.extracting(0..<8))
    line.number = Int32(truncatingIfNeeded: status)
    run.familiar.lines.remember(startLine: start..<start + startLength, of: octets, line, &run.texts)
    return line.version
  }

  /// Writes the fields into the row of the message.
  mutating func takeFields(_ octets: RawSpan, of row: RowIndex, _ run: inout Run) {
    if run.notes.fields.isWanted { run.notes.fields.endSection(of: row) }
    let octets = octets.extracting((start + startLength)..<(start + length))
    let host = facts.host
    if host.isThere, !isRequest, let text = host.text { run.texts.release(text) }
    if host.isThere, isRequest {
      facts.section.hostCount = 1
      let name =
        run.connection.beneath.isSecure
        ? Self.secureHost(host, octets, &run)
        : Self.text(host, .host, octets, &run) { line, value, texts in
          HostName.intern(line, value, defaultPort: ":80", &texts)
        }
      if name != .none {
        run.rows[message: row].host = name
        run.rows[message: row].hostSource = .hostField
      }
    }
    if facts.contentType.isThere {
      run.rows[message: row].contentType = Self.text(facts.contentType, .contentType, octets, &run)
    }
    if facts.contentEncoding.isThere {
      run.rows[message: row].contentEncoding = Self.text(facts.contentEncoding, .contentEncoding, octets, &run)
    }
    if facts.transferEncoding.isThere {
      run.rows[message: row].transferEncoding = Self.text(facts.transferEncoding, .transferEncoding, octets, &run)
    }
  }

  /// The host of a request over TLS. A familiar line may have lost the default port of clear text, but TLS has another.
  private static func secureHost(_ host: SectionFacts.Field, _ octets: RawSpan, _ run: inout Run) -> TextID {
    if let text = host.text { run.texts.release(text) }
    return HostName.intern(octets.extracting(host.content), host.value, defaultPort: ":443", &run.texts)
  }

  /// The retained text of a field, from the familiar line or from a new line that is remembered.
  @inline(__always)
  private static func text(
    _ field: SectionFacts.Field, _ meaning: FamiliarLines.Meaning, _ octets: RawSpan, _ run: inout Run,
    _ intern: (RawSpan, Range<Int>, inout TextPool) -> TextID = { $2.intern($0.extracting($1)) }
  ) -> TextID {
    if let text = field.text { return text }
    let text = intern(octets.extracting(field.content), field.value, &run.texts)
    var line = FamiliarLines.Line(meaning: meaning)
    line.value = field.value
    line.text = text
    if run.notes.fields.isWanted {
      let content = octets.extracting(field.content)
      let colon = content.firstOffset(of: ASCII.colon, in: 0..<content.byteCount) ?? 0
      line.name = run.notes.fields.number(of: content.extracting(0..<colon))
      line.mark = OctetMark.of(content.extracting(field.value))
    }
    run.familiar.lines.remember(field: field.line, of: octets, index: field.index, line, &run.texts)
    return text
  }
}

extension RawSpan {
  /// Whether the octets in `range` are `HTTP/1.1` or `HTTP/1.0`.
  @inline(__always)
  func isVersion1(_ range: Range<Int>) -> Bool {
    range.count == 8 && (isVersion11(at: range.lowerBound) || matchesExactly("HTTP/1.0", at: range.lowerBound))
  }
}
