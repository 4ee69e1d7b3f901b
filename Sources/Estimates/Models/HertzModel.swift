/// Hertz, the performance monitor of Meituan: bodies as the app has them.
///
/// Request body: `HTTPBody.length`, 0 of a stream. Response body: *D*, the data that is delivered, which is decoded.
///
/// Source: what Meituan published of Hertz.
struct HertzModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { PartLengths(body: request.bodyDataLength) }

  func response(_ response: SeenResponse) -> PartLengths? {
    response.deliveredLength.map { PartLengths(body: $0) }
  }
}
