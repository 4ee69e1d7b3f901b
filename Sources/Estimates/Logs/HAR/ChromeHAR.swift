/// HAR of Chrome's developer tools (creator `WebInspector`), and of Edge, Opera and others that are built from it. Measured with
/// Chromium 156 against a server that counts octets.
///
/// The request's `headersSize` is the start-line and the header section without its empty line; its `bodySize` is the posted text in
/// UTF-8, and 0 when there is none or the tools do not know it, as with a `Blob`. The response's `headersSize` is exact; -1 when
/// there is no text, as with HTTP/2. Its `bodySize` is `_transferSize` minus that, so it includes chunk framing. It is 0 for a
/// redirect, whatever came, and negative where `_transferSize` is 0 because nobody counted: for the answer to a preflight.
/// `content.size` is after decoding, and what the cache has for a 304. Over HTTP/2 `_transferSize` is the whole response as the wire
/// has it: fields as they are encoded, content, and the headers of their frames; of a redirect not always its content.
struct ChromeHAR: HARMeaning {
  let dialect = LogDialect.harChrome

  func response(_ message: HARMessage) -> ArchivedFigures { Self.chromeResponse(message) }

  func isFromCache(_ entry: ArchivedEntry) -> Bool { entry.cacheKind != nil || entry.isFromServiceWorker }
}

extension HARMeaning {
  /// A response as Chrome's tools know it.
  static func chromeResponse(_ message: HARMessage) -> ArchivedFigures {
    var figures = ArchivedFigures(
      headers: message.headersSize, body: message.bodySize, decoded: message.content?.size, whole: message.transferSize)
    // Nothing is transferred of a response of the cache, whose sizes are 0 too; of another one, 0 is that nobody counted.
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
  /// Whether it was on HTTP/2 or HTTP/3, so that no text of its fields was on the wire.
  var isEncoded: Bool {
    let version = httpVersion.lowercased()
    return ["h2", "h3", "http/2", "http/3", "quic"].contains { version.hasPrefix($0) }
  }

  /// Whether it sends the client to somewhere else.
  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}
