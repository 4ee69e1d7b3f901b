import HTTPReassembly
import Shared

/// The ways in which an app may have counted the start-line.
enum LineReading: Reading {
  /// Nothing.
  case nothing
  /// A request-line with a target made of the URL's parts.
  case request(Target, LineEnd, Version = .full)
  /// A status-line with the reason phrase that the app knows.
  case status(Reason, LineEnd, Version = .full)
  /// The representations of the pseudo-header fields in HTTP/2.
  case encoded

  /// The targets that an app may put in the request-line.
  enum Target: CaseIterable {
    /// As sent.
    case asSent
    /// The path as sent, without query.
    case path
    /// The path with percent-encoding removed, without query: `URL.path`.
    case decodedPath
    /// As `decodedPath`, without the final slash, which `URL.path` drops on Apple platforms.
    case decodedPathWithoutSlash
    /// Path and query, both with percent-encoding removed.
    case decoded
    /// The whole URL.
    case absolute
  }

  /// The reason phrases that an app may put in the status-line.
  enum Reason: CaseIterable {
    /// As sent.
    case asSent
    /// None, and no space before it.
    case none
    /// None, but the space before it (RFC 9112 §4).
    case empty
    /// The one registered for the status (RFC 9110 §15).
    case registered
    /// The result of `HTTPURLResponse.localizedString(forStatusCode:)` in English.
    case localized
  }

  /// The spellings of the version for a message that has none on the wire (HTTP/2, HTTP/3).
  enum Version: Int, CaseIterable {
    /// `HTTP/1.1`, as in the spelling of HTTP/1.1, or `HTTP/2.0`.
    case full = 8
    /// `HTTP/2` or `HTTP/3`.
    case short = 6
    /// Nothing.
    case none = 0
    /// Nothing, and no space before or after it.
    case absent = -1
  }

  static func wire(_ message: WireMessage) -> Int { message.row.octets.startLine }

  static let requests =
    [.nothing, .encoded]
    + Version.allCases.flatMap { version in
      Target.allCases.flatMap { target in LineEnd.allCases.map { LineReading.request(target, $0, version) } }
    }
  static let responses =
    [.nothing, .encoded]
    + Version.allCases.flatMap { version in
      Reason.allCases.flatMap { reason in LineEnd.allCases.map { LineReading.status(reason, $0, version) } }
    }

  /// The readings that differ for a message: HTTP/1 has its version in the line.
  static func all(for message: WireMessage) -> [LineReading] {
    let all = message.row.kind == .request ? requests : responses
    return message.isEncoded ? all : all.filter { $0.version == .full }
  }

  /// The spelling of the version; `full` where there is none.
  private var version: Version {
    switch self {
    case .request(_, _, let version), .status(_, _, let version): version
    case .nothing, .encoded: .full
    }
  }

  func figure(of message: WireMessage) -> Int? {
    guard self != .nothing else { return 0 }
    guard !message.isHeaderCut, !message.row.flags.contains(.lineTooLong), applies(to: message) else { return nil }
    return message.row.octets.startLine + causes(of: message).octets
  }

  func causes(of message: WireMessage) -> [Cause] {
    let wire = message.row.octets.startLine
    switch self {
    case .nothing: return [Cause(.lineNotCounted, -wire)].significant
    case .encoded: return []
    case .request(let target, let end, let version):
      let spelling = Self.spelling(message, end, version)
      guard target != .asSent else { return spelling.significant }
      return (spelling + targetCauses(target, RequestTargetParts(message))).significant
    case .status(let reason, let end, let version):
      let sent = StatusLineParts(message.startLine).reasonLength
      let counted = reasonLength(reason, sent: sent, status: message.row.status)
      return (Self.spelling(message, end, version) + [Cause(.reasonPhrase, counted - sent)]).significant
    }
  }

  /// The causes that do not depend on the line's text: that it is a line at all, its version, and its end.
  private static func spelling(_ message: WireMessage, _ end: LineEnd, _ version: Version) -> [Cause] {
    let wire = message.row.octets.startLine
    guard message.isEncoded else { return [Cause(.lineTerminator, end.rawValue - (wire - message.startLine.count))] }
    return [
      Cause(.fieldCompression, (message.spelledLine ?? wire) - wire), Cause(.version, version.rawValue - 8),
      Cause(.lineTerminator, end.rawValue - 2),
    ]
  }

  private func applies(to message: WireMessage) -> Bool {
    switch self {
    case .nothing: true
    case .request: message.row.kind == .request && isSpelled(message)
    case .status: message.row.kind != .request && isSpelled(message)
    case .encoded: message.isEncoded
    }
  }

  /// Whether the text of the line is known.
  private func isSpelled(_ message: WireMessage) -> Bool {
    !message.startLine.isEmpty && message.spelledLine != nil
  }

  private func targetCauses(_ target: Target, _ parts: RequestTargetParts) -> [Cause] {
    let queryDropped = Cause(.queryDropped, -parts.query)
    let decodedPath = Cause(.percentDecoding, parts.decodedPath - parts.path)
    switch target {
    case .asSent: return []
    case .path: return [queryDropped]
    case .decodedPath: return [queryDropped, decodedPath]
    case .decodedPathWithoutSlash:
      return [queryDropped, decodedPath, Cause(.trailingSlash, parts.endsWithSlash ? -1 : 0)]
    case .decoded:
      return [Cause(.percentDecoding, parts.decodedPath - parts.path + parts.decodedQuery - parts.query)]
    case .absolute: return [Cause(.absoluteForm, parts.origin)]
    }
  }

  /// Octets of the space and the reason phrase.
  private func reasonLength(_ reason: Reason, sent: Int, status: Int) -> Int {
    switch reason {
    case .asSent: sent
    case .none: 0
    case .empty: 1
    case .registered: 1 + (ReasonPhrase.registered[status]?.utf8.count ?? 0)
    case .localized: 1 + ReasonPhrase.localized(status).utf8.count
    }
  }

  var simpler: [LineReading] {
    switch self {
    case .nothing, .encoded: []
    case .request(let target, let end, let version): end == .crlf ? [] : [.request(target, .crlf, version)]
    case .status(let reason, let end, let version): end == .crlf ? [] : [.status(reason, .crlf, version)]
    }
  }

  var borneOut: [LineReading] {
    switch self {
    case .nothing, .encoded: []
    case .request(_, let end, let version): [.nothing] + Target.allCases.map { .request($0, end, version) }
    case .status(_, let end, let version): [.nothing] + Reason.allCases.map { .status($0, end, version) }
    }
  }

  func isOfOneProgram(with other: LineReading) -> Bool {
    switch (self, other) {
    case (.request(_, let end, _), .request(_, let otherEnd, _)): end == otherEnd
    case (.status(_, let end, _), .status(_, let otherEnd, _)): end == otherEnd
    default: true
    }
  }

  var isEvident: Bool { self == .nothing }

  static func coarse(_ kind: MessageKind) -> [LineReading] {
    [kind == .request ? .request(.path, .crlf) : .status(.registered, .crlf)]
  }

  static func plain(_ kind: MessageKind) -> LineReading {
    kind == .request ? .request(.asSent, .crlf) : .status(.asSent, .crlf)
  }

  /// The line with the target, or the reason phrase, as it was sent.
  var asSent: LineReading {
    switch self {
    case .nothing, .encoded: self
    case .request(_, let end, let version): .request(.asSent, end, version)
    case .status(_, let end, let version): .status(.asSent, end, version)
    }
  }

  /// The line as requests have it; nil where its end and its version are the wire's, or it has none.
  var ownStyle: LineReading? {
    let line = counterpart(.request)
    return line == .plain(.request) || line == .encoded ? nil : line
  }

  /// The line of the other kind of messages, by the same program.
  func counterpart(_ kind: MessageKind) -> LineReading {
    switch self {
    case .nothing, .encoded: self
    case .request(_, let end, let version), .status(_, let end, let version):
      kind == .request ? .request(.asSent, end, version) : .status(.asSent, end, version)
    }
  }

  // Over HTTP/2 a version of two octets less and a line without CR LF are one figure.
  static var rivalMargin: Int { 1 }
  var isForm: Bool {
    switch self {
    case .nothing, .encoded: true
    case .request(_, let end, let version), .status(_, let end, let version): version == .full && end != .none
    }
  }

  // Another target or reason phrase, and another end of the line, may be one figure.
  var isSure: Bool {
    switch self {
    case .request(let target, _, _): isForm && target == .asSent
    case .status(let reason, _, _): isForm && reason == .asSent
    case .nothing, .encoded: true
    }
  }

  /// The number of assumptions that add the same octets to all messages.
  var constants: Int {
    switch self {
    case .nothing, .encoded: 0
    case .request(let target, let end, let version):
      (target == .absolute ? 1 : 0) + (end == .crlf ? 0 : 1) + (version == .full ? 0 : 1)
    case .status(_, let end, let version): (end == .crlf ? 0 : 1) + (version == .full ? 0 : 1)
    }
  }

  /// Whether its version is not as long as HTTP/1.1's.
  var hasShortVersion: Bool { version != .full }

  /// Whether it is a whole URL.
  var isAbsolute: Bool { if case .request(.absolute, _, _) = self { true } else { false } }

  /// Whether its line ends with LF alone.
  var endsWithLineFeed: Bool {
    switch self {
    case .nothing, .encoded: false
    case .request(_, let end, _), .status(_, let end, _): end == .lineFeed
    }
  }

  var cost: Int {
    switch self {
    case .nothing: 1
    case .encoded: 0
    case .request(let target, let end, let version):
      (target == .asSent ? 0 : target == .absolute ? 3 : 1) + end.cost + (version == .full ? 0 : 1)
    case .status(let reason, let end, let version):
      (reason == .asSent ? 0 : 1) + end.cost + (version == .full ? 0 : 1)
    }
  }
}
