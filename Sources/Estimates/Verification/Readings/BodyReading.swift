import HTTPReassembly

/// The ways in which an app may have counted the body.
enum BodyReading: Reading, CaseIterable {
  /// The content as it was transferred.
  case transferred
  /// Nothing: a body stream, a failed transfer, or a monitor that has no bodies.
  case nothing
  /// The content without its codings.
  case decoded
  /// The content without its codings, compressed again.
  case recompressed
  /// Content-Length, though the content has another length.
  case declared
  /// -1, because there is no Content-Length.
  case expectedLength
  /// The content with its chunk framing, without trailers.
  case framed
  /// The content with its chunk framing and the trailers, if there are any.
  case framedWithTrailers
  /// The content with the headers of its frames in HTTP/2 or HTTP/3, except the header of the earlier frame with the fields.
  case dataFrames
  /// Everything transferred, start-line and header section included.
  case everything
  /// Start-line, header section and content, without chunk framing.
  case everythingUnframed
  /// The characters of the decoded content instead of its octets (UTF-8).
  case characters
  /// The UTF-16 units of the decoded content instead of its octets.
  case utf16Units
  /// At most a mebioctet, which is the limit of some tools (Firefox, `devtools.netmonitor.requestBodyLimit`).
  case limited
  /// The content with the octets that the capture has lost.
  case uncaptured

  static let limit = 1 << 20

  /// Whether it counts start-line and header section, too.
  var countsHead: Bool { self == .everything || self == .everythingUnframed }

  func figure(of message: WireMessage) -> Int? {
    switch self {
    case .decoded where message.decodedLength == nil, .recompressed where message.gzipLength == nil: nil
    case .declared where message.contentLength == nil: nil
    case .expectedLength where message.contentLength != nil || message.row.kind == .request: nil
    case .framed where message.row.octets.framing == 0, .framedWithTrailers where message.row.octets.framing == 0: nil
    case .dataFrames where !message.isEncoded || message.row.octets.framing < message.fieldFrameHeader: nil
    case .everything where message.isEncoded, .everythingUnframed where Self.head(of: message) == nil: nil
    case .uncaptured where message.row.missing == 0: nil
    case .limited where message.row.octets.body <= Self.limit: nil
    case .characters where message.characters == nil, .utf16Units where message.utf16Units == nil: nil
    case .recompressed where message.codings.isEmpty: nil
    default: message.row.octets.body + causes(of: message).octets
    }
  }

  static func wire(_ message: WireMessage) -> Int { message.row.octets.body }

  func causes(of message: WireMessage) -> [Cause] {
    let octets = message.row.octets
    let body = octets.body
    return switch self {
    case .transferred: []
    case .nothing: [Cause(.bodyNotCounted, -body)].significant
    case .decoded: [Cause(.decodedContent, (message.decodedLength ?? body) - body)].significant
    case .recompressed: [Cause(.recompression, (message.gzipLength ?? body) - body)].significant
    case .declared:
      [Cause(message.row.exactness == .atLeast ? .aborted : .declaredLength, (message.contentLength ?? body) - body)]
        .significant
    case .expectedLength: [Cause(.expectedLengthUnknown, -1 - body)].significant
    case .framed: [Cause(.framing(of: message), octets.framing)]
    case .framedWithTrailers:
      [Cause(.framing(of: message), octets.framing), Cause(.trailers, octets.trailer)].significant
    case .dataFrames: [Cause(.frameHeaders, octets.framing - message.fieldFrameHeader)].significant
    case .everything:
      [
        Cause(.headersInBody, octets.startLine + octets.header), Cause(.chunkFraming, octets.framing),
        Cause(.trailers, octets.trailer),
      ].significant
    case .everythingUnframed: [Cause(.headersInBody, Self.head(of: message) ?? 0)].significant
    case .characters: units(.charactersForOctets, message.characters ?? body, message)
    case .utf16Units: units(.utf16Units, message.utf16Units ?? body, message)
    case .limited: [Cause(.limitedBody, Self.limit - body)]
    case .uncaptured: [Cause(.notCaptured, message.row.missing)]
    }
  }

  /// Octets of start-line and header section as text; nil when not all fields are known.
  private static func head(of message: WireMessage) -> Int? {
    guard let line = message.spelledLine, let header = message.spelledHeader else { return nil }
    return line + header
  }

  /// The causes for units of the decoded content: coding and units each have a share in the difference.
  private func units(_ kind: Cause.Kind, _ count: Int, _ message: WireMessage) -> [Cause] {
    let body = message.row.octets.body
    let decoded = message.decodedLength ?? body
    return [Cause(.decodedContent, decoded - body), Cause(kind, count - decoded)].significant
  }

  var simpler: [BodyReading] { [] }
  var borneOut: [BodyReading] {
    [
      .transferred, .nothing, .decoded, .recompressed, .declared, .expectedLength, .framed, .everything, .uncaptured,
      .limited,
    ]
  }
  var isEvident: Bool { self == .nothing || self == .limited }
  static func coarse(_ kind: MessageKind) -> [BodyReading] { [.decoded, .nothing] }
  static func plain(_ kind: MessageKind) -> BodyReading { .transferred }

  var cost: Int {
    switch self {
    case .transferred: 0
    case .nothing, .decoded, .recompressed: 1
    case .declared, .expectedLength, .framed, .dataFrames, .uncaptured, .characters, .limited: 2
    case .framedWithTrailers, .everything, .everythingUnframed, .utf16Units: 3
    }
  }
}
