// HAR files, whose producers mean different things by the same names.

/// A HAR file of Chrome's DevTools.
///
/// Request header: `headersSize`, the length of the header text in UTF-16 units, with the start-line and without the empty line.
/// Request body: `bodySize`, the content. Response header: `headersSize`, with start-line and empty line. Response body:
/// `bodySize`, all transferred octets less `headersSize`. So it includes chunk framing; it is 0 for a redirection.
///
/// Assumes that the text is the wire's, decoded as UTF-8, and that nothing came from a cache. Request bodies are taken as text.
/// Chrome writes 0 for a Blob, a File and a text of megabytes, and minus `headersSize` for the answer to a preflight.
///
/// Over HTTP/2 and HTTP/3 `headersSize` and a response's `bodySize` are −1. `_transferSize` is then the whole response on the wire, with
/// headers of frames, and stands in the body here. For a redirection it may lack the content, so the model gives no figure.
/// Source: measured with Chromium 156 against packets.
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
  /// Start-line and header section in UTF-16 units of their text. HTTP/2 has the spelling of HTTP/1.1.
  var headerTextLength: Int {
    let texts = [startLine] + fields.flatMap { [$0.name, $0.value] }
    let saved = texts.reduce(0) { $0 + $1.count - String(decoding: $1, as: UTF8.self).utf16.count }
    return (spelledLine ?? row.octets.startLine) + (spelledHeader ?? row.octets.header) - saved
  }

  /// Whether it redirects (RFC 9110 §15.4), so that a client continues by itself.
  var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(row.status) && fields.contains { $0.isNamed("location") }
  }
}

/// A HAR file of Firefox.
///
/// Header: `headersSize`, the length of the header text, with start-line and empty line. A response's Set-Cookie fields are
/// folded into one, with a line feed between them. Request body: `bodySize`, the length of the body's text in UTF-16 units, at
/// most 1 MiB. Response body: `bodySize`, all received octets but chunk framing. It includes the header section, which so counts
/// twice.
///
/// Assumes that a body that is not UTF-8 has a unit an octet, and that nothing came from a cache. For a 304 to its own question
/// Firefox adds the cached content, for a redirection the content of its last target.
///
/// Over HTTP/2 the text is HTTP/1's. A request's text has `Connection: keep-alive` and lacks `te: trailers`, which is added when
/// it is sent. A response's text has `HTTP/2` in its line, and a field X-Firefox-Spdy. Over HTTP/3 it has `HTTP/3`, and no such
/// field. Source: measured with Firefox 153 against packets.
struct FirefoxHARModel: TrafficModel {
  /// `devtools.netmonitor.requestBodyLimit`.
  static let bodyLimit = 1 << 20

  func request(_ request: SeenRequest) -> PartLengths? {
    let octets = request.wire.row.octets.body
    // Coded content is not text.
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
      // The line has `HTTP/2` or `HTTP/3` in place of `HTTP/1.1`.
      let mark = UnsentField.firefoxMark.applies(to: response.wire) ? UnsentField.firefoxMark.textLength + 4 : 0
      let header = response.wire.headerTextLength - 2 + mark - folded
      return PartLengths(header: header, body: header + octets.body)
    }
    return PartLengths(
      header: response.wire.headerTextLength - folded,
      body: octets.startLine + octets.header + octets.body - folded)
  }

  /// Octets that each further Set-Cookie field loses when folded: name, colon, space and CR LF become a line feed.
  private static let foldedLength = "Set-Cookie: ".utf8.count + 1
}

/// A HAR file of mitmproxy.
///
/// Header: `headersSize`, the length of the list of fields as Python prints it: S + 12n + 7. Each tab, backslash or line end adds
/// one octet, and each other octet that is not printable ASCII adds three. Body: `bodySize`, the content as transferred, without
/// chunk framing; in a request after decoding.
///
/// Over HTTP/2 the list has no pseudo-header fields, so it lacks `:authority`. Assumes that the proxy forwards messages
/// unchanged. Its `content.size` is the transferred size too, although HAR 1.2 wants the decoded one.
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
      // On HTTP/2 the Host field stands for `:authority`.
      wire.isEncoded && field.isNamed("host")
        ? length : length + 12 + field.name.count + field.value.count + escapes(field.name) + escapes(field.value)
    }
  }

  /// Octets that Python's `repr` adds to a text.
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
