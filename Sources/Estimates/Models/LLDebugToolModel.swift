/// LLDebugTool: headers as JSON, cookies as JSON of their own, and lines.
///
/// Request: *J* of `allHTTPHeaderFields`, *J* of the cookies from storage, `HTTPBody.length`, and
/// `METHOD SP URL.path SP HTTP/1.1 LF`. Response: the status-line without terminator, *J* of `allHeaderFields`, and *D*.
///
/// Assumes that the JSON is pretty-printed; that no cookies are an empty dictionary, which takes 4 octets; that a body
/// stream counts as 0.
/// Source: what is publicly known of LLDebugTool's network part; Apple, NSJSONSerialization.
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
