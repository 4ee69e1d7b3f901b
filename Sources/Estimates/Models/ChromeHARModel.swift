/// A HAR file of Chrome.
///
/// Header: `headersSize`, the length of the header text, start-line and empty line included, in UTF-16 units. Request body:
/// `bodySize`, the content. Response body: `bodySize`, all octets that were transferred less `headersSize`, so that chunk
/// framing is in it.
///
/// Assumes that the text is the wire's, decoded as UTF-8, and nothing came from a cache. Over HTTP/2 `headersSize` is −1.
/// Source: HAR 1.2; what Chrome's DevTools write.
struct ChromeHARModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    PartLengths(header: request.wire.headerTextLength, body: request.wire.row.octets.body)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    let header = response.wire.headerTextLength
    return PartLengths(header: header, body: response.wire.row.octets.total - header)
  }
}

extension WireMessage {
  /// Start-line and header section as they were sent, in UTF-16 units of their text.
  var headerTextLength: Int {
    let texts = [startLine] + fields.flatMap { [$0.name, $0.value] }
    let saved = texts.reduce(0) { $0 + $1.count - String(decoding: $1, as: UTF8.self).utf16.count }
    return row.octets.startLine + row.octets.header - saved
  }
}
