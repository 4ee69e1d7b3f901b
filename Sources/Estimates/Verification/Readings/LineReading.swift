import HTTPReassembly
import Shared

/// What an app may have counted as the start-line.
enum LineReading: Reading {
  /// Nothing.
  case nothing
  /// A request-line with a target made of the URL's parts.
  case request(Target, LineEnd)
  /// A status-line with the reason phrase that the app knows.
  case status(Reason, LineEnd)

  /// Which target an app puts in the request-line.
  enum Target: CaseIterable {
    /// As sent.
    case asSent
    /// The path as sent, without query.
    case path
    /// The path with percent-encoding removed, without query: `URL.path`.
    case decodedPath
    /// As `decodedPath`, and without the slash at its end, which `URL.path` drops on Apple platforms.
    case decodedPathWithoutSlash
    /// Path and query, both with percent-encoding removed.
    case decoded
    /// The whole URL.
    case absolute
  }

  /// Which reason phrase an app puts in the status-line.
  enum Reason: CaseIterable {
    /// As sent.
    case asSent
    /// None, and no space before it.
    case none
    /// None, but the space before it (RFC 9112 §4).
    case empty
    /// The one registered for the status (RFC 9110 §15).
    case registered
    /// What `HTTPURLResponse.localizedString(forStatusCode:)` gives in English.
    case localized
  }

  static let requests: [LineReading] =
    [.nothing] + Target.allCases.flatMap { target in LineEnd.allCases.map { .request(target, $0) } }
  static let responses: [LineReading] =
    [.nothing] + Reason.allCases.flatMap { reason in LineEnd.allCases.map { .status(reason, $0) } }

  func figure(of message: WireMessage) -> Int? {
    guard self != .nothing else { return 0 }
    guard !message.isHeaderCut, !message.row.flags.contains(.lineTooLong), applies(to: message) else { return nil }
    return message.row.octets.startLine + causes(of: message).octets
  }

  func causes(of message: WireMessage) -> [Cause] {
    let wire = message.row.octets.startLine
    let terminator = wire - message.startLine.count
    switch self {
    case .nothing: return [Cause(.lineNotCounted, -wire)].significant
    case .request(let target, let end):
      return (targetCauses(target, RequestTargetParts(message)) + [Cause(.lineTerminator, end.rawValue - terminator)])
        .significant
    case .status(let reason, let end):
      let sent = StatusLineParts(message.startLine).reasonLength
      let counted = reasonLength(reason, sent: sent, status: message.row.status)
      return [Cause(.reasonPhrase, counted - sent), Cause(.lineTerminator, end.rawValue - terminator)].significant
    }
  }

  private func applies(to message: WireMessage) -> Bool {
    switch self {
    case .nothing: true
    case .request: message.row.kind == .request && !message.startLine.isEmpty
    case .status: message.row.kind != .request && !message.startLine.isEmpty
    }
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
    case .nothing: []
    case .request(let target, let end): end == .crlf ? [] : [.request(target, .crlf)]
    case .status(let reason, let end): end == .crlf ? [] : [.status(reason, .crlf)]
    }
  }

  var borneOut: [LineReading] {
    switch self {
    case .nothing: []
    case .request(_, let end): [.nothing] + Target.allCases.map { .request($0, end) }
    case .status(_, let end): [.nothing] + Reason.allCases.map { .status($0, end) }
    }
  }

  func isOfOneProgram(with other: LineReading) -> Bool {
    switch (self, other) {
    case (.request(_, let end), .request(_, let otherEnd)): end == otherEnd
    case (.status(_, let end), .status(_, let otherEnd)): end == otherEnd
    default: true
    }
  }

  static func plain(_ kind: MessageKind) -> LineReading {
    kind == .request ? .request(.asSent, .crlf) : .status(.asSent, .crlf)
  }

  var cost: Int {
    switch self {
    case .nothing: 1
    case .request(let target, let end):
      (target == .asSent ? 0 : target == .absolute ? 3 : 1) + (end == .crlf ? 0 : 1)
    case .status(let reason, let end): (reason == .asSent ? 0 : 1) + (end == .crlf ? 0 : 1)
    }
  }
}
