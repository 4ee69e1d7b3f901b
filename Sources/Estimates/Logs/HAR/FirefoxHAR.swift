/// HAR of Firefox. Measured with Firefox 153 against a server that counts octets.
///
/// The request's `headersSize` is exact, and 0 when nothing was sent because the cache answered. Its `bodySize` is the length of the
/// posted text in UTF-16 units, of at most 2^20. The response's `headersSize` lacks 13 octets for each further Set-Cookie field.
/// Its `bodySize` is `headersSize` and the content as it was transferred, without chunk framing, so that whoever adds
/// `headersSize` counts headers twice: it is the length of the whole message here, and the body is what is left of it. A
/// redirection has the content of its last target in it, and a 304 what the cache has. `content.size` is what was transferred,
/// before decoding; older versions write it after decoding.
struct FirefoxHAR: HARMeaning {
  let dialect = LogDialect.harFirefox

  func response(_ message: HARMessage) -> HARFigures {
    var body = message.bodySize
    if let whole = message.bodySize, let headers = message.headersSize, whole >= headers { body = whole - headers }
    var figures = HARFigures(
      headers: message.headersSize, body: body, decoded: message.content?.size, whole: message.bodySize)
    // What was transferred says nothing of what it is after decoding.
    if let body, message.content?.size == body { figures.decoded = nil }
    return figures
  }

  func isFromCache(_ entry: HAREntry) -> Bool {
    entry.request.headersSize == 0 && (entry.response?.status ?? 0) != 0
  }
}
