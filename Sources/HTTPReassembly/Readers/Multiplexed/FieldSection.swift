import Packets

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

  /// The section in the spelling of HTTP/1.1 for an observer. Without one it is nil, and so the section holds no memory.
  private let spelling: OwnMemory<Spelling>?

  private struct Spelling {
    /// Lines, with the lengths of their names.
    var lines: [(line: [UInt8], nameLength: Int)] = []
    var linesLength = 0
    var target: [UInt8] = []
    var method: [UInt8] = []
    var authority: [UInt8] = []
  }

  /// The port that host names omit.
  private let defaultPort: StaticString

  /// Whether it is of a request.
  private let isRequest: Bool

  init(isRequest: Bool, isSecure: Bool, isObserved: Bool) {
    self.isRequest = isRequest
    defaultPort = isSecure ? ":443" : ":80"
    spelling = isObserved ? OwnMemory(Spelling()) : nil
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
    let kind = field.name.kind
    if kind.isPseudo {
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
      Self.note(name, value, field, hasCookie: hasCookie, &run)
    }
    kind.isPseudo
      ? takePseudo(kind, value, field, isTrailer: isTrailer, &run)
      : takeRegular(kind, name, value, field, isTrailer: isTrailer, of: row, &run)
  }

  /// Notes a field for the table of fields. It is static, because a method would copy the section, which is being changed.
  private static func note(
    _ name: RawSpan, _ value: RawSpan, _ field: borrowing CodedField, hasCookie: Bool, _ run: inout Run
  ) {
    let kind = field.name.kind
    var expanded = -1
    if let length = field.value.length {
      switch kind {
      // `method SP target SP HTTP/1.1 CRLF`: the rest belongs to no field.
      case .method, .path, .status: expanded = length + 1
      case .authority: expanded = 4 + length + 4
      case .scheme, .protocol, .otherPseudo: expanded = 0
      case .cookie where hasCookie: expanded = 2 + length
      default: expanded = name.byteCount + length + 4
      }
    }
    // An unknown value is not a repetition.
    let mark = !field.value.isKnown ? 0 : field.valueMark == 0 ? OctetMark.of(value) : field.valueMark
    run.notes.fields.add(name, kind, mark, length: field.length, expanded: expanded)
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
    _ name: FieldNameKind, _ value: RawSpan, _ field: borrowing CodedField, isTrailer: Bool, _ run: inout Run
  ) {
    let isKnown = field.value.isKnown
    if !isKnown { areLengthsKnown = false }
    if name == .scheme { hasScheme = true }
    if !isKnown, name == .authority { hasUnknownAuthority = true }
    guard isKnown, !isTrailer || name == .status else { return }
    switch name {
    case .path:
      guard path == .none, targetLength == 0 else { return isMalformed = true }
      targetLength = value.byteCount
      if run.notes.contents.isWanted { targetMark = field.valueMark == 0 ? OctetMark.of(value) : field.valueMark }
      if let question = value.firstOffset(of: ASCII.questionMark, in: 0..<value.byteCount) {
        path = run.texts.intern(value.extracting(0..<question))
        queryLength = value.byteCount - question - 1
      } else {
        path = run.texts.intern(value)
      }
      if let spelling { value.append(0..<value.byteCount, to: &spelling.value.target) }
    case .method:
      guard method == .none else { return isMalformed = true }
      methodLength = value.byteCount
      method = run.texts.intern(value)
      kind = Method.kind(value, 0..<value.byteCount)
      if !Method.isRegistered(value, 0..<value.byteCount) { run.note(.httpMethodUnknown, example: value) }
      if let spelling { value.append(0..<value.byteCount, to: &spelling.value.method) }
    case .status: takeStatus(value)
    case .authority:
      guard authority == .none else { return isMalformed = true }
      authorityLength = value.byteCount
      authority = HostName.intern(
        value, 0..<value.byteCount, defaultPort: kind == .connect ? nil : defaultPort, &run.texts)
      if let spelling { value.append(0..<value.byteCount, to: &spelling.value.authority) }
    case .protocol:
      hasProtocol = true
      if value.byteCount == 9, value.matches("websocket", at: 0) { section.webSocket.insert(.named) }
      // It counts as the field `upgrade: value`.
      expanded += 7 + value.byteCount + 4
    case .scheme: break
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
    _ kind: FieldNameKind, _ name: RawSpan, _ value: RawSpan, _ field: borrowing CodedField, isTrailer: Bool,
    of row: RowIndex, _ run: inout Run
  ) {
    if kind == .grpcStatus, field.value.isKnown { grpcStatus = value.grpcStatus }
    guard !isTrailer else { return }
    if let length = field.value.length {
      // Crumbs of a cookie are one field (RFC 9113 §8.2.3).
      expanded += kind == .cookie && hasCookie ? 2 + length : name.byteCount + length + 4
    } else {
      areLengthsKnown = false
    }
    if kind == .cookie { hasCookie = true }
    if kind == .contentLength { hasContentLength = true }
    guard field.value.isKnown else {
      if kind == .host { hasUnknownAuthority = true }
      return
    }
    switch kind {
    case .grpcEncoding: if grpcEncoding == .identity { grpcEncoding = GRPCEncoding(value) }
    case .contentLength: section.take(.contentLength, value, 0..<value.byteCount, of: row, &run)
    case .host: section.take(.host, value, 0..<value.byteCount, of: row, &run)
    case .contentType: section.take(.contentType, value, 0..<value.byteCount, of: row, &run)
    case .contentEncoding: section.take(.contentEncoding, value, 0..<value.byteCount, of: row, &run)
    case .altSvc: section.take(.altSvc, value, 0..<value.byteCount, of: row, &run)
    case .webSocketExtensions: section.take(.webSocketExtensions, value, 0..<value.byteCount, of: row, &run)
    default: break
    }
    if let spelling { Self.addLine(name, value, limit: run.configuration.expandedFieldLimit, to: &spelling.value) }
  }

  private static func addLine(_ name: RawSpan, _ value: RawSpan, limit: Int, to spelling: inout Spelling) {
    guard spelling.linesLength + name.byteCount + value.byteCount <= limit else { return }
    var line: [UInt8] = []
    name.append(0..<name.byteCount, to: &line)
    line.append(ASCII.colon)
    line.append(ASCII.space)
    value.append(0..<value.byteCount, to: &line)
    spelling.linesLength += line.count
    spelling.lines.append((line, name.byteCount))
  }

  // MARK: The spelling of HTTP/1.1

  /// The lengths of start-line and header section in HTTP/1.1 (MEASURES §7).
  mutating func expandedLengths(isRequest: Bool) -> ExpandedLengths {
    guard areLengthsKnown else { return .unknown }
    var header = expanded + 2
    guard isRequest else { return ExpandedLengths(startLine: 8 + 1 + 3 + 1 + 2, header: header) }
    let target = kind == .connect ? authorityLength : targetLength
    if section.hostCount == 0, authorityLength > 0 { header += 4 + authorityLength + 4 }
    return ExpandedLengths(startLine: methodLength + 1 + target + 1 + 8 + 2, header: header)
  }

  /// The start-line for an observer; there must be one.
  func startLineText(isRequest: Bool, _ version: [UInt8]) -> [UInt8] {
    guard isRequest, let spelling = spelling?.value else { return version + Array(" \(status) ".utf8) }
    let target = kind == .connect ? spelling.authority : spelling.target
    return spelling.method + [ASCII.space] + target + [ASCII.space] + version
  }

  /// The field lines for an observer. They include a Host field if the authority stands for it.
  func fieldLines(isRequest: Bool) -> [(line: [UInt8], nameLength: Int)] {
    guard let spelling = spelling?.value else { return [] }
    guard isRequest, section.hostCount == 0, !spelling.authority.isEmpty else { return spelling.lines }
    return [(Array("host: ".utf8) + spelling.authority, 4)] + spelling.lines
  }
}
