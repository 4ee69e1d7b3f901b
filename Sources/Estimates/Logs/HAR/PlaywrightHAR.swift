/// HAR of Playwright (creator `Playwright`). Measured with Playwright 1.65 and its Chromium against a server that counts octets.
///
/// As Chrome's, with these differences. The request's `headersSize` lacks the octets of the query as well, in a third of the requests.
/// The `bodySize` and `_transferSize` of a redirect are right. Nothing says that a response came from a cache but its `bodySize`,
/// which is minus the `headersSize`, because nothing was transferred. Of a transfer that was cut, sizes are -1.
///
/// Over HTTP/2 a request's `headersSize` has the pseudo-header fields as fields, beside a request-line with the path alone, and no
/// empty line. A response's `headersSize` is 0, and `bodySize` is `_transferSize`: the whole response as the wire has it.
struct PlaywrightHAR: HARMeaning {
  let dialect = LogDialect.harPlaywright

  func response(_ message: HARMessage) -> HARFigures {
    var figures = HARFigures(
      headers: message.headersSize, body: message.bodySize, decoded: message.content?.size, whole: message.transferSize)
    if message.isEncoded {
      // Neither of the two is what its name says.
      (figures.headers, figures.body) = (nil, nil)
      if message.isRedirect { figures.whole = nil }
    } else if (message.bodySize ?? 0) < 0 {
      (figures.body, figures.whole) = (nil, nil)
    }
    if message.status == 304 { figures.decoded = nil }
    return figures
  }

  func isFromCache(_ entry: HAREntry) -> Bool {
    guard let response = entry.response, let headers = response.headersSize, headers > 0 else { return false }
    return response.bodySize == -headers
  }
}
