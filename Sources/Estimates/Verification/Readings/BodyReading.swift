import HTTPReassembly

/// What an app may have counted as the body.
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
  /// The content with its chunk framing and the trailers.
  case framedWithTrailers
  /// Everything transferred, start-line and header section included.
  case everything
  /// Start-line, header section and content, without chunk framing.
  case everythingUnframed
  /// The characters of the decoded content instead of its octets (UTF-8).
  case characters
  /// The UTF-16 units of the decoded content instead of its octets.
  case utf16Units
  /// No more than a mebioctet, which some tools keep at most (Firefox, `devtools.netmonitor.requestBodyLimit`).
  case limited
  /// The content with the octets that the capture has lost.
  case uncaptured

  static let limit = 1 << 20

  func figure(of message: WireMessage) -> Int? {
    switch self {
    case .decoded where message.decodedLength == nil, .recompressed where message.gzipLength == nil: nil
    case .declared where message.contentLength == nil: nil
    case .expectedLength where message.contentLength != nil || message.row.kind == .request: nil
    case .framed where message.row.octets.framing == 0, .framedWithTrailers where message.row.octets.trailer == 0: nil
    case .uncaptured where message.row.missing == 0: nil
    case .limited where message.row.octets.body <= Self.limit: nil
    case .characters where message.characters == nil, .utf16Units where message.utf16Units == nil: nil
    case .recompressed where message.codings.isEmpty: nil
    default: message.row.octets.body + causes(of: message).octets
    }
  }

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
    case .framed: [Cause(.chunkFraming, octets.framing)]
    case .framedWithTrailers:
      [Cause(.chunkFraming, octets.framing), Cause(.trailers, octets.trailer)].significant
    case .everything:
      [
        Cause(.headersInBody, octets.startLine + octets.header), Cause(.chunkFraming, octets.framing),
        Cause(.trailers, octets.trailer),
      ].significant
    case .everythingUnframed: [Cause(.headersInBody, octets.startLine + octets.header)].significant
    case .characters: units(.charactersForOctets, message.characters ?? body, message)
    case .utf16Units: units(.utf16Units, message.utf16Units ?? body, message)
    case .limited: [Cause(.limitedBody, Self.limit - body)]
    case .uncaptured: [Cause(.notCaptured, message.row.missing)]
    }
  }

  /// Units of the decoded content, of which coding and units each have a share in the difference.
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
  static func plain(_ kind: MessageKind) -> BodyReading { .transferred }

  var cost: Int {
    switch self {
    case .transferred: 0
    case .nothing, .decoded, .recompressed: 1
    case .declared, .expectedLength, .framed, .uncaptured, .characters, .limited: 2
    case .framedWithTrailers, .everything, .everythingUnframed, .utf16Units: 3
    }
  }
}
