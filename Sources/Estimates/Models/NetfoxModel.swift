/// netfox: bodies alone.
///
/// Request body: the body, a stream too, which netfox reads. Response body: *D*.
///
/// Source: what is publicly known of netfox.
struct NetfoxModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { PartLengths(body: request.bodyLength) }

  func response(_ response: SeenResponse) -> PartLengths? {
    response.deliveredLength.map { PartLengths(body: $0) }
  }
}
