/// NetworkEye, and GodEye, which has its monitor from it: the `expectedContentLength` of each response, added to one global
/// total.
///
/// Request: nothing. Response body: eCL. A response without Content-Length, as a chunked one, gives −1, which subtracts; one
/// that is cut off, and the answer to HEAD, count in full.
///
/// Assumes that the figure is asked for by API; the monitor itself has one total for all.
/// Source: what is publicly known of NetworkEye's and GodEye's URLProtocol; Apple, NSURLResponse.expectedContentLength.
struct NetworkEyeModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { PartLengths() }

  func response(_ response: SeenResponse) -> PartLengths? { PartLengths(body: response.expectedLength) }
}
