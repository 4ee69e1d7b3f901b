/// The variant of Dogger whose categories are named `ep_`: with CRLF and the empty line.
///
/// Request line: `METHOD SP URL.path SP HTTP/1.1 CRLF`. Headers: S + 4n + 2, cookies from storage put in. Request body: what
/// `didSendBodyData` counted, streams too. Response line: the status-line with CRLF. Response headers: S + 4n + 2, with
/// `Transfer-Encoding: Identity` written back to `chunked`. Response body: as Dogger. Chunk framing is added only if
/// Transfer-Encoding has more than one token, as that of one chunk: size in hexadecimal, CRLF, CRLF, last-chunk.
///
/// Assumes that `didSendBodyData` counts content without chunk framing; that one chunk is what it adds.
/// Source: what is publicly known of that variant; Apple, URLSessionTaskDelegate.
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
