// HAR files, whose writers mean different things by the same names.

/// A HAR file of Chrome's DevTools.
///
/// Request header: `headersSize`, the length of the header text in UTF-16 units, start-line included and empty line left out.
/// Request body: `bodySize`, the content. Response header: `headersSize`, start-line and empty line included. Response body:
/// `bodySize`, all octets that were transferred less `headersSize`, so that chunk framing is in it; 0 of a redirection.
///
/// Assumes that the text is the wire's, decoded as UTF-8, that nothing came from a cache, and that request bodies were given as
/// text: Chrome writes 0 for a Blob, a File and a text of megabytes, and minus `headersSize` for the answer to a preflight. Over
/// HTTP/2 `headersSize` and a response's `bodySize` are −1; `_transferSize` is then the whole response on the wire, headers of frames
/// included, and stands in the body here. Of a redirection it may lack the content: nothing is said of it. Source: measured with
/// Chromium 156 against packets.
struct ChromeHARModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    if request.wire.isEncoded { return PartLengths(body: request.wire.row.octets.body) }
    return PartLengths(header: request.wire.headerTextLength - 2, body: request.wire.row.octets.body)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    let octets = response.wire.row.octets
    if response.wire.isEncoded {
      return response.wire.isRedirect && octets.body > 0 ? nil : PartLengths(body: octets.total)
    }
    let header = response.wire.headerTextLength
    return PartLengths(header: header, body: response.wire.isRedirect ? 0 : response.wire.row.octets.total - header)
  }
}

extension WireMessage {
  /// Start-line and header section as they were sent, in UTF-16 units of their text; of HTTP/2 in the spelling of HTTP/1.1.
  var headerTextLength: Int {
    let texts = [startLine] + fields.flatMap { [$0.name, $0.value] }
    let saved = texts.reduce(0) { $0 + $1.count - String(decoding: $1, as: UTF8.self).utf16.count }
    return (spelledLine ?? row.octets.startLine) + (spelledHeader ?? row.octets.header) - saved
  }

  /// Whether it redirects (RFC 9110 §15.4), so that a client goes on by itself.
  var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(row.status) && fields.contains { $0.isNamed("location") }
  }
}

/// A HAR file of Firefox.
///
/// Header: `headersSize`, the length of the header text, start-line and empty line included; of a response several Set-Cookie
/// fields are folded into one, with a line feed between them. Request body: `bodySize`, the length of the body's text in UTF-16
/// units, of at most 1 MiB. Response body: `bodySize`, everything that came but chunk framing, header section included, which so
/// counts twice.
///
/// Assumes that a body that is no UTF-8 has a unit an octet, and that nothing came from a cache: of a 304 to its own question
/// Firefox adds the cached content, of a redirection the content of its last target. Over HTTP/2 the text is that of HTTP/1: a request's
/// has `Connection: keep-alive` and lacks `te: trailers`, which is added when it is sent; a response's has `HTTP/2` in its line, and a
/// field X-Firefox-Spdy. Source: measured with Firefox 153 against packets.
struct FirefoxHARModel: TrafficModel {
  /// `devtools.netmonitor.requestBodyLimit`.
  static let bodyLimit = 1 << 20

  func request(_ request: SeenRequest) -> PartLengths? {
    let octets = request.wire.row.octets.body
    // Coded content is no text.
    let body = request.wire.codings.isEmpty ? request.wire.utf16Units ?? octets : octets
    var header = request.wire.headerTextLength
    if request.wire.isEncoded {
      header += UnsentField.connection.textLength + 4
      header -= request.wire.fields.reduce(0) { $1.isNamed("te") ? $0 + $1.lineLength + 2 : $0 }
    }
    return PartLengths(header: header, body: min(body, Self.bodyLimit))
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    let octets = response.wire.row.octets
    let folded = max(response.wire.values(of: "set-cookie").count - 1, 0) * Self.foldedLength
    if response.wire.isEncoded {
      // `HTTP/2` for `HTTP/1.1`.
      let header = response.wire.headerTextLength - 2 + UnsentField.firefoxMark.textLength + 4 - folded
      return PartLengths(header: header, body: header + octets.body)
    }
    return PartLengths(
      header: response.wire.headerTextLength - folded,
      body: octets.startLine + octets.header + octets.body - folded)
  }

  /// Octets that a further Set-Cookie field is shorter as a line of the first: name, colon, space and CR LF for a line feed.
  private static let foldedLength = "Set-Cookie: ".utf8.count + 1
}

/// A HAR file of mitmproxy.
///
/// Header: `headersSize`, the length of the list of fields as Python prints it: S + 12n + 7, and one octet more for each tab,
/// backslash or line end, three for each other octet that is no printable ASCII. Body: `bodySize`, the content as transferred,
/// without chunk framing; of a request after decoding.
///
/// Over HTTP/2 the pseudo-header fields are not in the list, so that `:authority` is not. Assumes that the proxy sends on what it got; its `content.size`, which HAR 1.2 wants decoded, is the transferred size too.
/// Source: measured with mitmproxy 11.0.2 against packets.
struct MitmproxyHARModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    PartLengths(
      header: Self.header(request.wire), body: request.wire.decodedLength ?? request.wire.row.octets.body)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    PartLengths(header: Self.header(response.wire), body: response.wire.row.octets.body)
  }

  private static func header(_ wire: WireMessage) -> Int {
    wire.fields.reduce(7) { length, field in
      // Of HTTP/2 it stands for `:authority`.
      wire.isEncoded && field.isNamed("host")
        ? length : length + 12 + field.name.count + field.value.count + escapes(field.name) + escapes(field.value)
    }
  }

  /// Octets that `repr` of Python adds to text.
  private static func escapes(_ text: [UInt8]) -> Int {
    text.reduce(0) { sum, octet in
      switch octet {
      case 0x09, 0x0a, 0x0d, UInt8(ascii: "\\"): sum + 1
      case 0x20..<0x7f: sum
      default: sum + 3
      }
    }
  }
}
