/// DoraemonKit (DoKit) of Didi: as Wedjat, but for streams.
///
/// Request: *J* of fields and cookies, and the body; a body stream is read for POST only, and is 0 for PUT and PATCH.
/// Response: as Wedjat.
///
/// Source: what is publicly known of DoraemonKit's network monitor.
struct DoKitModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    let isRead = !request.isStream || request.wire.method == "POST"
    return PartLengths(header: WedjatModel.headerLength(request), body: isRead ? request.bodyLength : 0)
  }

  func response(_ response: SeenResponse) -> PartLengths? { WedjatModel().response(response) }
}
