/// HAR of Playwright (creator `Playwright`). Measured with Playwright 1.65 and its Chromium against a server that counts octets.
///
/// It is like Chrome's, with these differences. In a third of the requests `headersSize` lacks the octets of the query as well.
/// The `bodySize` and `_transferSize` of a redirect are right. Only `bodySize` shows that a response came from a cache: it is
/// minus the `headersSize`, because nothing was transferred. The sizes of a transfer that was cut are -1.
///
/// Over HTTP/2 and HTTP/3 a request's `headersSize` has the pseudo-header fields as fields, beside a request-line with the path alone, and
/// no empty line. A response's `headersSize` is 0. Its `bodySize` is `_transferSize`: the whole response on the wire.
struct PlaywrightHAR: HARMeaning {
  let dialect = LogDialect.harPlaywright

  func response(_ message: HARMessage) -> ArchivedFigures {
    var figures = ArchivedFigures(
      headers: message.headersSize, body: message.bodySize, decoded: message.content?.size, whole: message.transferSize)
    if message.isEncoded {
      // Neither figure is true to its name.
      (figures.headers, figures.body) = (nil, nil)
      if message.isRedirect { figures.whole = nil }
    } else if (message.bodySize ?? 0) < 0 {
      (figures.body, figures.whole) = (nil, nil)
    }
    if message.status == 304 { figures.decoded = nil }
    return figures
  }

  func isFromCache(_ entry: ArchivedEntry) -> Bool {
    guard let response = entry.response, let headers = response.headersSize, headers > 0 else { return false }
    return response.bodySize == -headers
  }
}

/// HAR of Charles. It keeps to HAR 1.2; `_charlesStatus` tells whether a response is whole. Charles explains a failure to the
/// client by a message that looks like a response of the server.
struct CharlesHAR: HARMeaning {
  let dialect = LogDialect.harCharles

  func isAborted(_ entry: ArchivedEntry) -> Bool {
    let status = entry.response?.charlesStatus?.lowercased() ?? "complete"
    return status != "complete" || (entry.response?.status ?? 0) == 0
  }

  /// The client's request came before Charles looked for a server.
  func requestDelay(_ timings: HARTimings, total: Double?) -> Double { 0 }
}

/// HAR of Safari's Web Inspector (creator `WebKit Web Inspector`).
///
/// Sizes come from the network process: headers and body as transferred, or -1 when it does not say. `_transferSize` is the whole
/// response. `_fetchType` tells the source of the response.
struct SafariHAR: HARMeaning {
  let dialect = LogDialect.harSafari

  func response(_ message: HARMessage) -> ArchivedFigures {
    var figures = Self.standard(message)
    figures.decoded = message.content?.size
    if figures.whole == nil { figures.whole = message.transferSize }
    return figures
  }

  func isFromCache(_ entry: ArchivedEntry) -> Bool {
    switch entry.fetchType {
    case "Memory Cache", "Disk Cache", "Service Worker", "Inspector Override": true
    default: false
    }
  }
}

/// HAR of mitmproxy.
///
/// `headersSize` is the length of the header list as Python prints it, without the start-line. For names and values of ASCII this
/// is S + 12n + 7 octets; the wire has S + 4n + 2. The response's `bodySize` and `content.size` are both the length as
/// transferred, and `content.compression` is the gain of decoding. The request's `bodySize` is after decoding. No figure tells
/// the length of a whole message.
struct MitmproxyHAR: HARMeaning {
  let dialect = LogDialect.harMitmproxy

  func request(_ message: HARMessage) -> ArchivedFigures {
    ArchivedFigures(headers: message.headersSize, body: message.bodySize, decoded: message.bodySize, whole: nil)
  }

  func response(_ message: HARMessage) -> ArchivedFigures {
    let decoded: Int? =
      if let size = message.content?.size, let added = message.content?.compression { size + added } else { nil }
    return ArchivedFigures(headers: message.headersSize, body: message.bodySize, decoded: decoded, whole: nil)
  }

  /// The entry begins with the client's request; the connection to the server may be older, and `wait` covers it.
  func requestDelay(_ timings: HARTimings, total: Double?) -> Double { 0 }
}

/// HAR of Firefox. Measured with Firefox 153 against a server that counts octets.
///
/// The request's `headersSize` is exact. It is 0 when nothing was sent because the cache answered. Its `bodySize` is the length
/// of the posted text in UTF-16 units, at most 2^20.
///
/// The response's `headersSize` lacks 13 octets for each further Set-Cookie field. Its `bodySize` is `headersSize` and the
/// content as transferred, without chunk framing. A sum with `headersSize` counts the headers twice. So `bodySize` is the length
/// of the whole message here, and the body is the rest of it.
///
/// A redirection includes the content of its last target, and a 304 the cached content. `content.size` is the length as
/// transferred, before decoding; older versions write the length after decoding.
struct FirefoxHAR: HARMeaning {
  let dialect = LogDialect.harFirefox

  func response(_ message: HARMessage) -> ArchivedFigures {
    var body = message.bodySize
    if let whole = message.bodySize, let headers = message.headersSize, whole >= headers { body = whole - headers }
    var figures = ArchivedFigures(
      headers: message.headersSize, body: body, decoded: message.content?.size,
      whole: message.headersSize == nil ? nil : message.bodySize)
    // The length as transferred does not tell the length after decoding.
    if let body, message.content?.size == body { figures.decoded = nil }
    return figures
  }

  func isFromCache(_ entry: ArchivedEntry) -> Bool {
    entry.request.headersSize == 0 && (entry.response?.status ?? 0) != 0
  }

  /// Other versions and tools write the content alone into `bodySize`. In their logs it is often shorter than the header section.
  func settle(_ rows: inout [LogEntry]) {
    let counted = rows.indices.filter { row in
      rows[row].kind == .response && !rows[row].isFromCache && rows[row].length ?? 0 > 0
        && rows[row].headerLength ?? 0 > 0
    }
    let short = counted.count { row in rows[row].length ?? 0 < rows[row].headerLength ?? 0 }
    guard short >= Self.leastShort, short * 20 >= counted.count else { return }
    for row in rows.indices where rows[row].kind == .response {
      guard let headers = rows[row].headerLength, let body = rows[row].length else { continue }
      (rows[row].bodyLength, rows[row].length) = (body, headers + body)
    }
  }

  /// The fewest responses that show it.
  private static let leastShort = 5
}
