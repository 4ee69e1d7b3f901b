/// A HAR file of Chrome's DevTools.
///
/// Request header: `headersSize`, the length of the header text in UTF-16 units, start-line included and empty line left out.
/// Request body: `bodySize`, the content. Response header: `headersSize`, start-line and empty line included. Response body:
/// `bodySize`, all octets that were transferred less `headersSize`, so that chunk framing is in it; 0 of a redirection.
///
/// Assumes that the text is the wire's, decoded as UTF-8, that nothing came from a cache, and that request bodies were given as
/// text: Chrome writes 0 for a Blob, a File and a text of megabytes, and minus `headersSize` for the answer to a preflight. Over
/// HTTP/2 `headersSize` is −1. Source: measured with Chromium 156 against packets.
struct ChromeHARModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    PartLengths(header: request.wire.headerTextLength - 2, body: request.wire.row.octets.body)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    let header = response.wire.headerTextLength
    return PartLengths(header: header, body: response.wire.isRedirect ? 0 : response.wire.row.octets.total - header)
  }
}

extension WireMessage {
  /// Start-line and header section as they were sent, in UTF-16 units of their text.
  var headerTextLength: Int {
    let texts = [startLine] + fields.flatMap { [$0.name, $0.value] }
    let saved = texts.reduce(0) { $0 + $1.count - String(decoding: $1, as: UTF8.self).utf16.count }
    return row.octets.startLine + row.octets.header - saved
  }

  /// Whether it redirects (RFC 9110 §15.4), so that a client goes on by itself.
  var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(row.status) && fields.contains { $0.isNamed("location") }
  }
}
