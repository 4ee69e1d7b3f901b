/// OkHttp on Android, with the figures of its event listener: `Headers.byteCount` and the body's `byteCount`.
///
/// Headers, both ways: S + 4n. Bodies: octets as transferred, without chunk framing. The start-line and the empty line are
/// missing.
///
/// Assumes the headers of the network request and response, which have all fields, also those that OkHttp adds, and
/// repeated ones each for itself; so no field is invisible.
/// Source: OkHttp's documentation of Headers.byteCount and EventListener.
struct OkHttpModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? { Self.lengths(request.wire) }

  func response(_ response: SeenResponse) -> PartLengths? { Self.lengths(response.wire) }

  private static func lengths(_ wire: WireMessage) -> PartLengths {
    PartLengths(header: wire.fieldLinesLength, body: wire.row.octets.body)
  }
}

extension WireMessage {
  /// Octets of the field lines written canonically, each with its terminator and each for itself: S + 4n.
  var fieldLinesLength: Int {
    fields.reduce(0) { $1.name.isEmpty ? $0 : $0 + $1.name.count + $1.value.count + 4 }
  }
}
