/// HAR of Chrome's developer tools (creator `WebInspector`), and of Edge, Opera and others that are built from it.
///
/// `headersSize` is the length of the header text in UTF-16 units, start-line and empty line included, and -1 when
/// there is no text, as with HTTP/2. The response's `bodySize` is `_transferSize` minus that, so it includes chunk
/// framing; -1 without header text, 0 for a 304 and from a cache. It can be negative when less was transferred than
/// the header text is long. The request's `bodySize` is the form data in UTF-8, 0 when the tools do not know it.
struct ChromeHAR: HARMeaning {
  let dialect = LogDialect.harChrome

  func response(_ message: HARMessage) -> HARFigures {
    var figures = Self.standard(message)
    figures.decoded = message.content?.size
    // A preflight's transfer size is not noted: 0, from which the header text was subtracted.
    if message.transferSize == 0, let headers = message.headersSize, headers > 0, message.bodySize == -headers {
      (figures.body, figures.whole) = (nil, nil)
      return figures
    }
    // Known for HTTP/2 too. 0 stands for not known unless there is nothing else.
    if let transferred = message.transferSize, transferred > 0 || figures.whole == nil { figures.whole = transferred }
    return figures
  }

  func isFromCache(_ entry: HAREntry) -> Bool { entry.cacheKind != nil || entry.isFromServiceWorker }
}
