/// HAR of Firefox.
///
/// The response's `bodySize` is everything that was transferred but chunk framing, header section included: it is the length of
/// the whole message, and the body is what is left without `headersSize`. For a 304 and a redirection it has the content that
/// the app was given in the end. From a cache `headersSize` is 0 in both halves. The request's `bodySize` is the length of the
/// posted text in UTF-16 units, of at most 1 MiB.
struct FirefoxHAR: HARMeaning {
  let dialect = LogDialect.harFirefox

  func response(_ message: HARMessage) -> HARFigures {
    var body = message.bodySize
    if let whole = message.bodySize, let headers = message.headersSize, whole >= headers { body = whole - headers }
    return HARFigures(
      headers: message.headersSize, body: body, decoded: message.content?.size, whole: message.bodySize)
  }

  func isFromCache(_ entry: HAREntry) -> Bool {
    entry.request.headersSize == 0 && entry.response?.headersSize == 0
  }
}
