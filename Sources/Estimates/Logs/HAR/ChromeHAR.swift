/// HAR of Chrome's developer tools (creator `WebInspector`), and of Edge, Opera and other browsers built from Chromium. Measured
/// with Chromium 156 against a server that counts octets.
///
/// The request's `headersSize` is the start-line and the header section without its empty line. Its `bodySize` is the posted text
/// in UTF-8. It is 0 without a body, and when the tools do not know the body, as with a `Blob`.
///
/// The response's `headersSize` is exact. It is -1 when there is no text, as with HTTP/2 and HTTP/3. Its `bodySize` is `_transferSize` minus
/// `headersSize`, so it includes chunk framing. It is 0 for every redirect. It is negative for the answer to a preflight, where
/// `_transferSize` is 0 because the octets were not counted.
///
/// `content.size` is the length after decoding, and the cached length for a 304. There `_transferSize` is the whole
/// response on the wire: encoded fields, content, and the headers of their frames. For a redirect it may lack the content.
struct ChromeHAR: HARMeaning {
  let dialect = LogDialect.harChrome

  func response(_ message: HARMessage) -> ArchivedFigures { Self.chromeResponse(message) }

  func isFromCache(_ entry: ArchivedEntry) -> Bool { entry.cacheKind != nil || entry.isFromServiceWorker }
}

extension HARMeaning {
  /// The figures of a response in Chrome's tools.
  static func chromeResponse(_ message: HARMessage) -> ArchivedFigures {
    var figures = ArchivedFigures(
      headers: message.headersSize, body: message.bodySize, decoded: message.content?.size, whole: message.transferSize)
    // A response from the cache transfers nothing, and its sizes are 0 too. For any other response, 0 means that the octets were
    // not counted.
    let isCounted = message.transferSize != 0
    if !isCounted, (message.bodySize ?? 0) < 0 { figures.body = nil }
    if !isCounted, figures.body == nil { figures.whole = nil }
    if message.isRedirect, message.bodySize == 0 || message.isEncoded {
      (figures.body, figures.decoded, figures.whole) = (nil, nil, nil)
    }
    if message.status == 304 { figures.decoded = nil }
    if figures.whole == nil, message.transferSize == nil, let headers = figures.headers, let body = figures.body {
      figures.whole = headers + body
    }
    return figures
  }
}

extension HARMessage {
  /// Whether it was on HTTP/2 or HTTP/3: the text of its fields was not on the wire.
  var isEncoded: Bool {
    let version = httpVersion.lowercased()
    return ["h2", "h3", "http/2", "http/3", "quic"].contains { version.hasPrefix($0) }
  }

  /// Whether it is a redirect.
  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}
