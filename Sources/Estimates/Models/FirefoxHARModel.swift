/// A HAR file of Firefox.
///
/// Header: `headersSize`, the length of the header text, start-line and empty line included; of a response several Set-Cookie
/// fields are folded into one, with a line feed between them. Request body: `bodySize`, the length of the body's text in UTF-16
/// units, of at most 1 MiB. Response body: `bodySize`, everything that came but chunk framing, header section included, which so
/// counts twice.
///
/// Assumes that a body that is no UTF-8 has a unit an octet, and that nothing came from a cache: of a 304 to its own question
/// Firefox adds the cached content, of a redirection the content of its last target. Source: measured with Firefox 153 against
/// packets.
struct FirefoxHARModel: TrafficModel {
  /// `devtools.netmonitor.requestBodyLimit`.
  private static let bodyLimit = 1 << 20

  func request(_ request: SeenRequest) -> PartLengths? {
    let octets = request.wire.row.octets.body
    // Coded content is no text.
    let body = request.wire.codings.isEmpty ? request.wire.utf16Units ?? octets : octets
    return PartLengths(header: request.wire.headerTextLength, body: min(body, Self.bodyLimit))
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    let octets = response.wire.row.octets
    let folded = max(response.wire.values(of: "set-cookie").count - 1, 0) * Self.foldedLength
    return PartLengths(
      header: response.wire.headerTextLength - folded,
      body: octets.startLine + octets.header + octets.body - folded)
  }

  /// Octets that a further Set-Cookie field is shorter as a line of the first: name, colon, space and CR LF for a line feed.
  private static let foldedLength = "Set-Cookie: ".utf8.count + 1
}
