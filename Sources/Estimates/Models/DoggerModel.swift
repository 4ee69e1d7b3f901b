/// LPD's Dogger: lines, headers and bodies written out as text, with line feeds for line ends.
///
/// Request line: `METHOD SP URL.path SP HTTP/1.1 LF`, so without the query and percent-decoded. Headers: `name: value LF`
/// for each field, cookies from storage put in: S + 3n. Request body: `HTTPBody.length`, 0 of a stream; with any
/// Content-Encoding, gzip of body or stream, though the app has coded it already. Response line: the status-line without
/// terminator. Response headers: S + 3n. Response body: gzip of *D* if Content-Encoding is exactly `gzip`, else *D*, so br
/// and deflate stay expanded.
///
/// Assumes zlib's level 6, and that nothing compresses to nothing, as the usual categories of NSData do it; that
/// `URL.path` has no slash at its end, as NSURL gives it.
/// Source: what LPD's team published of its traffic monitor; Apple, NSURL.path.
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
