/// HAR of Firefox. Measured with Firefox 153 against a server that counts octets.
///
/// The request's `headersSize` is exact, and 0 when nothing was sent because the cache answered. Its `bodySize` is that of the body,
/// or of the posted text in UTF-16 units, and 2^20 where the tools cut a longer one off. The response's `headersSize` lacks 13 octets for each further Set-Cookie field. Its
/// `bodySize` is `headersSize` and the content as it was transferred, without chunk framing: whoever adds `headersSize` counts headers twice;
/// here it is the length of the whole message too. Of a redirect it has the content of the last target in it, and of a 304 what the
/// cache has: neither says what came. `content.size` is what was transferred, before decoding; older versions write it after decoding.
struct FirefoxHAR: HARMeaning {
  let dialect = LogDialect.harFirefox

  func request(_ message: HARMessage) -> HARFigures {
    var figures = Self.standard(message)
    if message.bodySize == 1 << 20 { (figures.body, figures.whole) = (nil, nil) }
    return figures
  }

  func response(_ message: HARMessage) -> HARFigures {
    var figures = HARFigures(
      headers: message.headersSize, body: message.bodySize, decoded: message.content?.size, whole: message.bodySize)
    if message.isRedirect || message.status == 304 {
      (figures.body, figures.decoded, figures.whole) = (nil, nil, nil)
    }
    // What was transferred says nothing of what it is after decoding.
    if let headers = message.headersSize, let body = message.bodySize, message.content?.size == body - headers {
      figures.decoded = nil
    }
    return figures
  }

  func isFromCache(_ entry: HAREntry) -> Bool {
    entry.request.headersSize == 0 && (entry.response?.status ?? 0) != 0
  }
}
