/// The contents of a field section, and the number of octets for each part of it.
struct FieldSection {
  /// Octets of the representations of pseudo-header fields.
  var startLine = 0
  /// Octets of all other representations, and of unreadable octets.
  var header = 0
  /// Octets of unknown representations that may be pseudo-header fields, which come first (RFC 9113 §8.3).
  private var unplaced = 0
  private var hasRegular = false
  /// Whether a field is unknown.
  private(set) var hasUnknown = false
  /// Whether a name is unknown, or octets could not be read.
  private var hasUnknownName = false
  /// Whether a field of unknown name may be a pseudo-header field.
  private var hasUnknownPseudo = false
  /// Whether octets of unknown fields may be those of pseudo-header fields.
  private var isClassUnknown = false
  /// Whether the value of the authority or of a Host field is unknown.
  private var hasUnknownAuthority = false
  private var hasScheme = false
  /// Whether representations or fields are in error.
  private(set) var isMalformed = false

  var method = TextID.none
  var kind = MethodKind.ordinary
  var path = TextID.none
  var queryLength: Int?
  var authority = TextID.none
  var hasProtocol = false
  /// Whether it has a Content-Length. A response to CONNECT that opens a tunnel has none (RFC 9110 §9.3.6).
  private(set) var hasContentLength = false
  /// 0 without one.
  var status = 0
  var grpcStatus: Int?
  var grpcEncoding = GRPCEncoding.identity
  private(set) var section = HeaderSection()

  // Lengths in the spelling of HTTP/1.1.
  private var methodLength = 0
  private var targetLength = 0
  /// The mark of the target; 0 when no table wants it.
  private(set) var targetMark: UInt64 = 0
  private var authorityLength = 0
  private var expanded = 0
  private var hasCookie = false
  private var areLengthsKnown = true

  /// Lines for an observer in the spelling of HTTP/1.1, with the lengths of their names; nil without an observer.
  private(set) var lines: [(line: [UInt8], nameLength: Int)]?
  private var linesLength = 0
  private var target: [UInt8] = []
  private var methodText: [UInt8] = []
  private var authorityText: [UInt8] = []

  /// The port that host names omit.
  private let defaultPort: StaticString

  /// Whether it is of a request.
  private let isRequest: Bool

  init(isRequest: Bool, isSecure: Bool, isObserved: Bool) {
    self.isRequest = isRequest
    defaultPort = isSecure ? ":443" : ":80"
    lines = isObserved ? [] : nil
  }

  // MARK: Representations

  /// Takes a representation. `row` is the message's row, or -1 for none. An unknown name or value has no octets.
  mutating func take(
    _ field: CodedField, _ name: RawSpan, _ value: RawSpan, isTrailer: Bool, of row: RowIndex, _ run: inout Run
  ) {
    if field.isMalformed { isMalformed = true }
    guard !field.isInstruction else {
      header += field.length
      return
    }
    guard field.name.isKnown else {
      hasUnknown = true
      hasUnknownName = true
      if isAfterPseudo {
        header += field.length
      } else {
        unplaced += field.length
        hasUnknownPseudo = true
      }
      // It may be the crumb of a cookie, or a pseudo-header field.
      areLengthsKnown = false
      return
    }
    if !field.value.isKnown { hasUnknown = true }
    let isPseudo = name.byteCount > 0 && name.octet(0) == ASCII.colon
    if isPseudo {
      // Unknown fields before it are pseudo-header fields, too.
      startLine += field.length + unplaced
      unplaced = 0
      if hasRegular { isMalformed = true }
    } else {
      hasRegular = true
      header += field.length
      finish()
    }
    guard row >= 0 else { return }
    if run.notes.fields.isWanted, !isTrailer {
      Self.note(name, value, field, isPseudo: isPseudo, hasCookie: hasCookie, &run)
    }
    isPseudo
      ? takePseudo(name, value, field, isTrailer: isTrailer, &run)
      : takeRegular(name, value, field, isTrailer: isTrailer, of: row, &run)
  }

  /// Notes a field for the table of fields. It is static, because a method would copy the section, which is being changed.
  private static func note(
    _ name: RawSpan, _ value: RawSpan, _ field: CodedField, isPseudo: Bool, hasCookie: Bool, _ run: inout Run
  ) {
    var expanded = -1
    if let length = field.value.length {
      if !isPseudo {
        let isCrumb = hasCookie && name.matchesExactly("cookie", at: 0) && name.byteCount == 6
        expanded = isCrumb ? 2 + length : name.byteCount + length + 4
      } else if name.matchesExactly(":method", at: 0) || name.matchesExactly(":path", at: 0) {
        // `method SP target SP HTTP/1.1 CRLF`: the rest belongs to no field.
        expanded = length + 1
      } else if name.matchesExactly(":status", at: 0) {
        expanded = length + 1
      } else if name.matchesExactly(":authority", at: 0) {
        expanded = 4 + length + 4
      } else {
        expanded = 0
      }
    }
    let mark = field.valueMark == 0 ? OctetMark.of(value) : field.valueMark
    var line = run.notes.fields.line(name, mark, length: field.length, expanded: expanded, isPseudo: isPseudo)
    line.isHeader = !isPseudo || name.matchesExactly(":authority", at: 0)
    // An unknown value is not a repetition.
    if !field.value.isKnown { line.value = 0 }
    run.notes.fields.add(line)
  }

  /// Takes octets that are not a representation, or cannot be read.
  mutating func takeUnread(_ count: Int) {
    header += count
    areLengthsKnown = false
    hasUnknown = true
    hasUnknownName = true
    if count > 0, !isAfterPseudo { isClassUnknown = true }
  }

  /// Ends the section. Unknown fields that could have been pseudo-header fields count as other fields.
  mutating func finish() {
    header += unplaced
    if unplaced > 0 { isClassUnknown = true }
    unplaced = 0
  }

  // MARK: Knowledge

  /// Whether no pseudo-header field follows, because another field came or because all of them are known (RFC 9113 §8.3).
  private var isAfterPseudo: Bool {
    if hasRegular { return true }
    guard isRequest else { return status != 0 }
    return method != .none && path != .none && authority != .none && hasScheme && kind != .connect
  }

  /// Whether the authority may have been sent and could not be read.
  var mayHideAuthority: Bool { authority == .none && section.hostCount == 0 && (hasUnknownName || hasUnknownAuthority) }

  /// Whether unknown fields may say what the row of its message says: the class of octets, the method, the host, the path, the status.
  var hidesStart: Bool {
    if isClassUnknown { return true }
    guard hasUnknown else { return false }
    guard isRequest else { return status == 0 }
    // A CONNECT has a path only with a protocol, which an unknown field may be (RFC 8441 §4).
    if kind == .connect, !hasProtocol, hasUnknownPseudo { return true }
    return method == .none || path == .none && (kind != .connect || hasProtocol) || mayHideAuthority
  }

  mutating func markMalformed() { isMalformed = true }

  // MARK: Pseudo-header fields

  private mutating func takePseudo(
    _ name: RawSpan, _ value: RawSpan, _ field: CodedField, isTrailer: Bool, _ run: inout Run
  ) {
    let isKnown = field.value.isKnown
    if !isKnown { areLengthsKnown = false }
    if name.byteCount == 7, name.matchesExactly(":scheme", at: 0) { hasScheme = true }
    if !isKnown, name.byteCount == 10, name.matchesExactly(":authority", at: 0) { hasUnknownAuthority = true }
    guard isKnown, !isTrailer || name.byteCount == 7 && name.matchesExactly(":status", at: 0) else { return }
    switch name.byteCount {
    case 5 where name.matchesExactly(":path", at: 0):
      guard path == .none, targetLength == 0 else { return isMalformed = true }
      targetLength = value.byteCount
      if run.notes.contents.isWanted { targetMark = field.valueMark == 0 ? OctetMark.of(value) : field.valueMark }
      if let question = value.firstOffset(of: ASCII.questionMark, in: 0..<value.byteCount) {
        path = run.texts.intern(value.extracting(0..<question))
        queryLength = value.byteCount - question - 1
      } else {
        path = run.texts.intern(value)
      }
      if lines != nil { value.append(0..<value.byteCount, to: &target) }
    case 7 where name.matchesExactly(":method", at: 0):
      guard method == .none else { return isMalformed = true }
      methodLength = value.byteCount
      method = run.texts.intern(value)
      kind = Method.kind(value, 0..<value.byteCount)
      if !Method.isRegistered(value, 0..<value.byteCount) { run.note(.httpMethodUnknown, example: value) }
      if lines != nil { value.append(0..<value.byteCount, to: &methodText) }
    case 7 where name.matchesExactly(":status", at: 0): takeStatus(value)
    case 10 where name.matchesExactly(":authority", at: 0):
      guard authority == .none else { return isMalformed = true }
      authorityLength = value.byteCount
      authority = HostName.intern(
        value, 0..<value.byteCount, defaultPort: kind == .connect ? nil : defaultPort, &run.texts)
      if lines != nil { value.append(0..<value.byteCount, to: &authorityText) }
    case 9 where name.matchesExactly(":protocol", at: 0):
      hasProtocol = true
      if value.byteCount == 9, value.matches("websocket", at: 0) { section.webSocket.insert(.named) }
      // It counts as the field `upgrade: value`.
      expanded += 7 + value.byteCount + 4
    case 7 where name.matchesExactly(":scheme", at: 0): break
    default: isMalformed = true
    }
  }

  private mutating func takeStatus(_ value: RawSpan) {
    guard status == 0, value.byteCount == 3 else { return isMalformed = true }
    var number = 0
    for offset in 0..<3 {
      guard value.octet(offset).isDigit else { return isMalformed = true }
      number = number * 10 + Int(value.octet(offset) - 0x30)
    }
    guard number >= 100 else { return isMalformed = true }
    status = number
  }

  // MARK: Other fields

  private mutating func takeRegular(
    _ name: RawSpan, _ value: RawSpan, _ field: CodedField, isTrailer: Bool, of row: RowIndex, _ run: inout Run
  ) {
    if name.byteCount == 11, name.matchesExactly("grpc-status", at: 0), field.value.isKnown {
      grpcStatus = value.grpcStatus
    }
    guard !isTrailer else { return }
    let isCookie = name.byteCount == 6 && name.matchesExactly("cookie", at: 0)
    if let length = field.value.length {
      // Crumbs of a cookie are one field (RFC 9113 §8.2.3).
      expanded += isCookie && hasCookie ? 2 + length : name.byteCount + length + 4
    } else {
      areLengthsKnown = false
    }
    if isCookie { hasCookie = true }
    if name.byteCount == 14, name.matchesExactly("content-length", at: 0) { hasContentLength = true }
    guard field.value.isKnown else {
      if KnownField(name, 0..<name.byteCount) == .host { hasUnknownAuthority = true }
      return
    }
    if name.byteCount == 13, name.matchesExactly("grpc-encoding", at: 0), grpcEncoding == .identity {
      grpcEncoding = GRPCEncoding(value)
    }
    switch KnownField(name, 0..<name.byteCount) {
    case .contentLength: section.take(.contentLength, value, 0..<value.byteCount, of: row, &run)
    case .host: section.take(.host, value, 0..<value.byteCount, of: row, &run)
    case .contentType: section.take(.contentType, value, 0..<value.byteCount, of: row, &run)
    case .contentEncoding: section.take(.contentEncoding, value, 0..<value.byteCount, of: row, &run)
    case .altSvc: section.take(.altSvc, value, 0..<value.byteCount, of: row, &run)
    case .webSocketExtensions: section.take(.webSocketExtensions, value, 0..<value.byteCount, of: row, &run)
    default: break
    }
    addLine(name, value, limit: run.configuration.expandedFieldLimit)
  }

  private mutating func addLine(_ name: RawSpan, _ value: RawSpan, limit: Int) {
    guard lines != nil, linesLength + name.byteCount + value.byteCount <= limit else { return }
    var line: [UInt8] = []
    name.append(0..<name.byteCount, to: &line)
    line.append(ASCII.colon)
    line.append(ASCII.space)
    value.append(0..<value.byteCount, to: &line)
    linesLength += line.count
    lines?.append((line, name.byteCount))
  }

  // MARK: The spelling of HTTP/1.1

  /// The lengths of start-line and header section in HTTP/1.1 (MEASURES §7).
  func expandedLengths(isRequest: Bool) -> ExpandedLengths {
    guard areLengthsKnown else { return .unknown }
    var header = expanded + 2
    guard isRequest else { return ExpandedLengths(startLine: 8 + 1 + 3 + 1 + 2, header: header) }
    let target = kind == .connect ? authorityLength : targetLength
    if section.hostCount == 0, authorityLength > 0 { header += 4 + authorityLength + 4 }
    return ExpandedLengths(startLine: methodLength + 1 + target + 1 + 8 + 2, header: header)
  }

  /// The start-line for an observer.
  func startLineText(isRequest: Bool, _ version: [UInt8]) -> [UInt8] {
    guard isRequest else { return version + Array(" \(status) ".utf8) }
    return methodText + [ASCII.space] + (kind == .connect ? authorityText : target) + [ASCII.space] + version
  }

  /// The field lines for an observer. They include a Host field if the authority stands for it.
  func fieldLines(isRequest: Bool) -> [(line: [UInt8], nameLength: Int)] {
    guard let lines else { return [] }
    guard isRequest, section.hostCount == 0, !authorityText.isEmpty else { return lines }
    return [(Array("host: ".utf8) + authorityText, 4)] + lines
  }
}
