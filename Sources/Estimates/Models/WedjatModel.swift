/// iOS-Monitor-Platform, and its implementation Wedjat: headers as JSON, bodies as far as they are known.
///
/// Request: *J* of `allHTTPHeaderFields` with the cookies from storage put in, and `HTTPBody.length`. Response: *J* of
/// `allHeaderFields`, and eCL, or *D* where eCL is −1.
///
/// Assumes that a body stream counts as 0: only `HTTPBody` is looked at.
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

  /// *J* of the fields and cookies of a request.
  static func headerLength(_ request: SeenRequest) -> Int {
    PrettyJSON.length(of: request.fields.adding(request.cookie))
  }
}
