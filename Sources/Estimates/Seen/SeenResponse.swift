/// A response as a monitor inside the app sees it.
public struct SeenResponse: Sendable {
  /// The response on the wire.
  public let wire: WireMessage
  /// `allHeaderFields`, with `Transfer-Encoding: Identity` where CFNetwork reports that.
  public let fields: FieldDictionary
  /// `expectedContentLength`: Content-Length. It is −1 when there is none, or chunked coding, or an invalid number. The answer to
  /// HEAD has it too.
  public let expectedLength: Int
  /// *D*: octets of the delivered data, after decoding; nil when unknown.
  public let deliveredLength: Int?

  /// Hides the parts of a response that the app does not see.
  public init(_ wire: WireMessage, _ assumptions: ModelAssumptions) {
    self.wire = wire
    var fields = wire.fields
    for index in fields.indices
    where assumptions.identityForChunked && fields[index].isNamed("transfer-encoding")
      && String(decoding: fields[index].value, as: UTF8.self).lowercased() == "chunked"
    {
      fields[index].value = Array("Identity".utf8)
    }
    self.fields = FieldDictionary(fields)
    expectedLength = wire.values(of: "transfer-encoding").isEmpty ? wire.contentLength ?? -1 : -1
    if let decoded = wire.decodedLength {
      deliveredLength = decoded
    } else if wire.codings.isEmpty || wire.row.flags.contains(.codingUnknown) {
      // The app gets the octets that were transferred, even of a cut transfer.
      deliveredLength = wire.row.octets.body
    } else {
      deliveredLength = nil
    }
  }

  /// Octets of the status-line without terminator. HTTP/2, which has none, counts in the spelling of HTTP/1.1.
  public var statusLineLength: Int { wire.isEncoded ? (wire.spelledLine ?? 2) - 2 : wire.startLine.count }

  /// Octets of gzip(D) at level 6; nil when unknown.
  public var gzipLength: Int? { deliveredLength == 0 ? 0 : wire.gzipLength }

  /// Content-Encoding in lower case; empty when there is none.
  public var contentEncoding: String {
    String(decoding: fields.value(of: "content-encoding") ?? [], as: UTF8.self).lowercased()
  }
}
