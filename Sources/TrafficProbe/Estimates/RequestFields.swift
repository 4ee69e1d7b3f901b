import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The header section of a request, as the system sends it.
///
/// Formula: the request's own fields, then the session's additional ones, then the system's (`SystemFields`) whose names are
/// still missing. The Cookie field from storage and the fields that frame the body follow. Each line is name + `: ` + value +
/// CRLF; an empty line ends the section.
///
/// Cannot be known: fields that a proxy adds; the system's Authorization field in answer to a challenge.
enum RequestFields {
  /// - Parameters:
  ///   - request: The request, as given to the system.
  ///   - url: The URL that the request goes to; its authority becomes the Host field.
  ///   - body: The way in which the body is sent.
  ///   - configuration: The configuration of the sending session.
  ///   - mentionsBody: Whether the request still names a body that the loader no longer sends, as FoundationNetworking does after
  ///     a redirect.
  ///   - isUpload: Whether the body came from an upload task, whose POST gets no Content-Type on Linux.
  ///   - isFromDelegate: Whether the body is a stream from the session's delegate. On Linux libcurl announces it with an Expect
  ///     field, because it has no length. For other bodies FoundationNetworking removes the field.
  /// - Returns: The field lines, in no order.
  static func lines(
    of request: URLRequest, url: URL, body: RequestBodyKind, configuration: URLSessionConfiguration,
    mentionsBody: Bool = false, isUpload: Bool = false, isFromDelegate: Bool = false
  ) -> [ExpectedField] {
    var lines = (request.allHTTPHeaderFields ?? [:]).map(line)
    for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
      guard let name = name as? String, let value = value as? String, !lines.has(name) else { continue }
      lines.append(line(name: name, value: value))
    }
    lines.fill("Host", authority(of: url))
    lines.fill("Accept", SystemFields.accept)
    lines.fill("Connection", SystemFields.connection)
    lines.fill("User-Agent", SystemFields.userAgent)
    if let language = SystemFields.acceptLanguage { lines.fill("Accept-Language", language) }
    #if canImport(FoundationNetworking)
      lines.fill("Accept-Encoding", SystemFields.acceptEncoding)
      if isFromDelegate { lines.fill("Expect", "100-continue") }
    #else
      lines.fill("Accept-Encoding", SystemFields.acceptEncoding(secure: url.scheme?.lowercased() == "https"))
      if request.httpShouldHandleCookies, let cookies = CookieField.value(for: url, in: configuration) {
        lines.fill("Cookie", cookies)
      }
    #endif
    addFraming(of: body, request, mentionsBody: mentionsBody, isUpload: isUpload, to: &lines)
    return lines
  }

  /// Adds Content-Length or Transfer-Encoding, and the Content-Type of a POST that has none.
  private static func addFraming(
    of body: RequestBodyKind, _ request: URLRequest, mentionsBody: Bool, isUpload: Bool, to lines: inout [ExpectedField]
  ) {
    let method = request.httpMethod ?? "GET"
    switch body {
    case .data(let octets):
      lines.fill("Content-Length", String(octets))
    case .stream:
      #if canImport(FoundationNetworking)
        // libcurl does not know of a Content-Length field, and sends both.
        lines.fill("Transfer-Encoding", "chunked")
      #else
        if !lines.has("Content-Length") { lines.fill("Transfer-Encoding", "Chunked") }
      #endif
    case .none:
      #if canImport(FoundationNetworking)
        if method != "GET", method != "HEAD" { lines.fill("Content-Length", "0") }
      #else
        if ["POST", "PUT", "PATCH"].contains(method) { lines.fill("Content-Length", "0") }
      #endif
    }
    guard method == "POST", body != .none || mentionsBody, !isUpload, !lines.has("Content-Type") else { return }
    #if canImport(FoundationNetworking)
      // FoundationNetworking sends it without the usual space.
      lines.append(ExpectedField(name: "Content-Type", value: "application/x-www-form-urlencoded", space: ""))
    #else
      lines.append(ExpectedField(name: "Content-Type", value: "application/x-www-form-urlencoded"))
    #endif
  }

  private static func line(name: String, value: String) -> ExpectedField {
    #if canImport(FoundationNetworking)
      if value.isEmpty { return ExpectedField(name: name, value: value, space: "") }
    #endif
    return ExpectedField(name: name, value: value)
  }

  /// Host, and the port unless it is the scheme's own (RFC 9110, section 7.2).
  static func authority(of url: URL) -> String {
    let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true)
    let host = parts?.encodedHost ?? url.host ?? ""
    guard let port = url.port, port != (url.scheme?.lowercased() == "https" ? 443 : 80) else { return host }
    return "\(host):\(port)"
  }
}
