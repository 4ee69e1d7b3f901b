// Monitors inside apps on Apple's platforms. The URL loading system shows them its view, and they write their own text of it.

/// NetworkEye, and GodEye, whose monitor comes from it: each response's `expectedContentLength`, added to one global total.
///
/// Request: nothing. Response body: eCL. It is −1 for a response without Content-Length, as a chunked one, and subtracts. The
/// full length counts even for a cut response and for the answer to HEAD.
///
/// Assumes that the figure is wanted by API; the monitor itself has one total for all.
/// Source: public knowledge of NetworkEye's and GodEye's URLProtocol; Apple, NSURLResponse.expectedContentLength.
struct NetworkEyeModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { PartLengths() }

  func response(_ response: SeenResponse) -> PartLengths? { PartLengths(body: response.expectedLength) }
}

/// Hertz, the performance monitor of Meituan: bodies as the app has them.
///
/// Request body: `HTTPBody.length`, 0 for a stream. Response body: *D*, the delivered data, which is decoded.
///
/// Source: Meituan's publication about Hertz.
struct HertzModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { PartLengths(body: request.bodyDataLength) }

  func response(_ response: SeenResponse) -> PartLengths? {
    response.deliveredLength.map { PartLengths(body: $0) }
  }
}

/// netfox: bodies alone.
///
/// Request body: the body; netfox reads streams too. Response body: *D*.
///
/// Source: public knowledge of netfox.
struct NetfoxModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { PartLengths(body: request.bodyLength) }

  func response(_ response: SeenResponse) -> PartLengths? {
    response.deliveredLength.map { PartLengths(body: $0) }
  }
}

/// iOS-Monitor-Platform, and its implementation Wedjat: headers as JSON, and the known bodies.
///
/// Request: *J* of `allHTTPHeaderFields` with the cookies from storage added, and `HTTPBody.length`. Response: *J* of
/// `allHeaderFields`, and eCL, or *D* where eCL is −1.
///
/// Assumes that a body stream counts as 0, because the monitor reads only `HTTPBody`.
/// Source: iOS-Monitor-Platform, its chapter on traffic; Apple, NSJSONSerialization, NSURLResponse.expectedContentLength.
struct WedjatModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    PartLengths(header: Self.headerLength(request), body: request.bodyDataLength)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    let header = PrettyJSON.length(of: response.fields)
    if response.expectedLength != -1 { return PartLengths(header: header, body: response.expectedLength) }
    return response.deliveredLength.map { PartLengths(header: header, body: $0) }
  }

  /// *J* of a request's fields and cookies.
  static func headerLength(_ request: SeenRequest) -> Int {
    PrettyJSON.length(of: request.fields.adding(request.cookie))
  }
}

/// DoraemonKit (DoKit) of Didi: as Wedjat, but for streams.
///
/// Request: *J* of fields and cookies, and the body. A body stream is read for POST only, and is 0 for PUT and PATCH. Response:
/// as Wedjat.
///
/// Source: public knowledge of DoraemonKit's network monitor.
struct DoKitModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    let isRead = !request.isStream || request.wire.method == "POST"
    return PartLengths(header: WedjatModel.headerLength(request), body: isRead ? request.bodyLength : 0)
  }

  func response(_ response: SeenResponse) -> PartLengths? { WedjatModel().response(response) }
}

/// LLDebugTool: headers as JSON, cookies as a JSON object of their own, and lines.
///
/// Request: *J* of `allHTTPHeaderFields`, *J* of the cookies from storage, `HTTPBody.length`, and
/// `METHOD SP URL.path SP HTTP/1.1 LF`. Response: the status-line without terminator, *J* of `allHeaderFields`, and *D*.
///
/// Assumes that the JSON is pretty-printed. No cookies are an empty dictionary, which takes 4 octets. A body stream counts as 0.
/// Source: public knowledge of LLDebugTool's network part; Apple, NSJSONSerialization.
struct LLDebugToolModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    let cookies = FieldDictionary([]).adding(request.cookie)
    return PartLengths(
      line: request.pathLineLength + 1,
      header: PrettyJSON.length(of: request.fields) + PrettyJSON.length(of: cookies), body: request.bodyDataLength)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    response.deliveredLength.map {
      PartLengths(line: response.statusLineLength, header: PrettyJSON.length(of: response.fields), body: $0)
    }
  }
}

/// LPD's Dogger: lines, headers and bodies as text, with line feeds for line ends.
///
/// Request line: `METHOD SP URL.path SP HTTP/1.1 LF`, so without the query and percent-decoded. Headers: `name: value LF` for
/// each field, with the cookies from storage: S + 3n. Request body: `HTTPBody.length`, 0 for a stream. With any Content-Encoding
/// it is gzip of body or stream, though the app has coded it already.
///
/// Response line: the status-line without terminator. Response headers: S + 3n. Response body: gzip of *D* if Content-Encoding is
/// exactly `gzip`, else *D*. So br and deflate stay expanded.
///
/// Assumes zlib's level 6. Empty data compresses to nothing, as in the usual categories of NSData. `URL.path` has no slash at its
/// end, as in NSURL.
/// Source: the publication of LPD's team about its traffic monitor; Apple, NSURL.path.
struct DoggerModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    let fields = request.fields.adding(request.cookie)
    guard let body = Self.bodyLength(request) else { return nil }
    return PartLengths(
      line: request.pathLineLength + 1, header: fields.textLength + 3 * fields.count, body: body)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    guard let body = Self.bodyLength(response) else { return nil }
    let fields = response.fields
    return PartLengths(
      line: response.statusLineLength, header: fields.textLength + 3 * fields.count, body: body)
  }

  private static func bodyLength(_ request: SeenRequest) -> Int? {
    request.fields.value(of: "content-encoding") == nil ? request.bodyDataLength : request.gzipLength
  }

  /// Gzip of *D* if the content was gzip, else *D*.
  static func bodyLength(_ response: SeenResponse) -> Int? {
    response.contentEncoding == "gzip" ? response.gzipLength : response.deliveredLength
  }
}

/// The variant of Dogger whose categories are named `ep_`: with CRLF and the empty line.
///
/// Request line: `METHOD SP URL.path SP HTTP/1.1 CRLF`. Headers: S + 4n + 2, with the cookies from storage. Request body: the
/// count of `didSendBodyData`, streams too. Response line: the status-line with CRLF. Response headers: S + 4n + 2, with
/// `Transfer-Encoding: Identity` written back to `chunked`. Response body: as Dogger.
///
/// Chunk framing is added only if Transfer-Encoding has more than one token. Then it is the framing of one chunk: size in
/// hexadecimal, CRLF, CRLF, last-chunk.
///
/// Assumes that `didSendBodyData` counts content without chunk framing, and that one chunk is added.
/// Source: public knowledge of that variant; Apple, URLSessionTaskDelegate.
struct EpModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    let fields = request.fields.adding(request.cookie)
    return PartLengths(
      line: request.pathLineLength + 2, header: fields.textLength + 4 * fields.count + 2, body: request.bodyLength)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    guard let body = DoggerModel.bodyLength(response) else { return nil }
    let fields = response.fields
    var header = fields.textLength + 4 * fields.count + 2
    let coding = fields.value(of: "transfer-encoding").map { String(decoding: $0, as: UTF8.self) } ?? ""
    if coding == "Identity" { header -= 1 }
    let hasSeveralTokens = coding.split(separator: ",").count > 1
    return PartLengths(
      line: response.statusLineLength + 2, header: header, body: body,
      framing: hasSeveralTokens ? String(body, radix: 16).utf8.count + 4 + 5 : 0)
  }
}
