/// A HAR file of mitmproxy.
///
/// Header: `headersSize`, the field lines without the start-line and without the empty line: S + 4n. Body: `bodySize`, the
/// content as transferred, without chunk framing.
///
/// Assumes that the proxy sends on what it got; its `content.size`, which HAR 1.2 wants decoded, is the transferred size too.
/// Source: HAR 1.2; what mitmproxy writes.
struct MitmproxyHARModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { Self.lengths(request.wire) }

  func response(_ response: SeenResponse) -> PartLengths? { Self.lengths(response.wire) }

  private static func lengths(_ wire: WireMessage) -> PartLengths {
    PartLengths(header: wire.fieldLinesLength, body: wire.row.octets.body)
  }
}
