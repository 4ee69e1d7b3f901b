/// A request as a monitor inside the app sees it.
public struct SeenRequest: Sendable {
  /// The request on the wire.
  public let wire: WireMessage
  /// `allHTTPHeaderFields`: without the invisible fields.
  public let fields: FieldDictionary
  /// The Cookie field that comes from storage; nil without one, or when the app set the field itself.
  public let cookie: WireField?
  /// Whether the body is a stream, so that `HTTPBody` is nil.
  public let isStream: Bool

  /// Hides the parts of a request that the app does not see.
  public init(_ wire: WireMessage, _ assumptions: ModelAssumptions) {
    self.wire = wire
    let invisible = assumptions.invisibleFields
    fields = FieldDictionary(wire.fields.lazy.filter { !invisible.contains($0.lowercasedName) })
    let cookies = FieldDictionary(wire.fields.lazy.filter { $0.isNamed("cookie") })
    cookie = invisible.contains("cookie") ? cookies.fields.first : nil
    isStream =
      switch assumptions.streamBodies {
      case .none: false
      // HTTP/2 has no chunks: a body without a length at its beginning is a stream.
      case .chunked: wire.isEncoded ? wire.row.octets.body > 0 && wire.contentLength == nil : wire.isChunked
      case .all: wire.row.octets.body > 0
      }
  }

  /// Octets of the body as the app gave it, with the content codings that the app applied.
  public var bodyLength: Int { wire.row.octets.body }

  /// `HTTPBody.length`: 0 for a stream.
  public var bodyDataLength: Int { isStream ? 0 : bodyLength }

  /// Octets of gzip(body) at level 6; nil when unknown. An empty body counts 0: the usual categories of NSData return empty data
  /// unchanged.
  public var gzipLength: Int? { bodyLength == 0 ? 0 : wire.gzipLength }

  /// Octets of `METHOD SP URL.path SP HTTP/1.1` without terminator.
  public var pathLineLength: Int { wire.method.utf8.count + 1 + PathText.length(wire.pathOctets) + 1 + 8 }
}
