import HTTPReassembly
import Shared

// Models of HTTP clients that count themselves, and of this project's recorder.

/// OkHttp on Android, with the figures of its event listener: `Headers.byteCount` and the body's `byteCount`.
///
/// Headers, both ways: S + 4n. Bodies: octets as transferred, without chunk framing. The start-line and the empty line are
/// missing.
///
/// Assumes the headers of the network request and response. They have all fields, also those that OkHttp adds, and each repeated
/// field by itself; so no field is invisible. Over HTTP/2 the fields count as if HTTP/1.1 sent them. They include three that
/// HTTP/2 does not send: Host, `Connection: Keep-Alive`, and `Transfer-Encoding: chunked` of a body without length.
/// Source: OkHttp's documentation of Headers.byteCount and EventListener; HTTP/2 measured with OkHttp 3.13.1 against packets.
struct OkHttpModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    var lengths = Self.lengths(request.wire)
    for field in [UnsentField.connection, .transferEncoding] where field.applies(to: request.wire) {
      lengths.header += field.textLength + 4
    }
    return lengths
  }

  func response(_ response: SeenResponse) -> PartLengths? { Self.lengths(response.wire) }

  private static func lengths(_ wire: WireMessage) -> PartLengths {
    PartLengths(header: wire.fieldLinesLength, body: wire.row.octets.body)
  }
}

extension WireMessage {
  /// Octets of the canonical field lines, each with its terminator and repeated ones apart: S + 4n.
  var fieldLinesLength: Int {
    fields.reduce(0) { $1.name.isEmpty ? $0 : $0 + $1.name.count + $1.value.count + 4 }
  }
}

/// URLSessionTaskTransactionMetrics of Apple: the URL loading system's own counts, one row a transaction.
///
/// Header: `countOfRequestHeaderBytesSent` and `countOfResponseHeaderBytesReceived`, which include the start-line. Body:
/// `countOfRequestBodyBytesSent` and `countOfResponseBodyBytesReceived`, which include chunk framing and codings.
///
/// Assumes that the empty line is counted, which Apple does not say (`ModelAssumptions.metricsHaveEmptyLine`). Every transaction
/// is summed, or redirects vanish; no count is absent or −1. Over HTTP/2, "bytes transferred" are taken as octets after
/// compression. All frame headers are taken as the "protocol-specific framing" of the body. This is not measured.
/// Source: Apple, URLSessionTaskTransactionMetrics.
struct TaskMetricsModel: TrafficModel {
  /// Whether the empty line is counted.
  let hasEmptyLine: Bool

  func request(_ request: SeenRequest) -> PartLengths? { lengths(request.wire) }

  func response(_ response: SeenResponse) -> PartLengths? { lengths(response.wire) }

  private func lengths(_ wire: WireMessage) -> PartLengths {
    let octets = wire.row.octets
    let emptyLine = hasEmptyLine || octets.header == 0 || wire.isEncoded ? 0 : 2
    return PartLengths(
      header: octets.startLine + octets.header - emptyLine, body: octets.body + octets.framing + octets.trailer)
  }
}

/// TrafficProbe, this project's recorder inside an app: the best figures that an app has without counting at the socket.
///
/// Request line: `METHOD SP path?query SP HTTP/1.1 CRLF`. Request headers: S + 4n + 2, the system's fields and cookies filled in.
/// Request body: the content, streams too. Response line: `HTTP/1.1 SP code SP phrase CRLF` with the registered phrase, because
/// the sent one is not shown. Response headers: S + 4n + 2, `Identity` written back to `chunked`, and Set-Cookie unfolded.
///
/// Response body: nothing after HEAD and for 1xx, 204 and 304. Without content coding it is the delivered data. Else it is
/// Content-Length, or the received part of it. Without a length it is gzip of *D* at level 6. Chunk framing is unknown, so 0.
///
/// Assumes that it fills in the system's fields with the values that are sent. A cut transfer's error tells the missing octets.
/// Source: TrafficProbe.
struct TrafficProbeModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    let wire = request.wire
    let query = wire.row.queryLength.map { 1 + $0 } ?? 0
    let fields = FieldDictionary(wire.fields)
    return PartLengths(
      line: wire.method.utf8.count + 1 + max(wire.pathOctets.count, 1) + query + 1 + 8 + 2,
      header: fields.textLength + 4 * fields.count + 2, body: request.bodyLength)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    guard let body = bodyLength(response) else { return nil }
    let status = response.wire.row.status
    return PartLengths(
      line: 8 + 1 + 3 + 1 + (ReasonPhrase.registered[status]?.utf8.count ?? 0) + 2,
      header: headerLength(response.wire), body: body)
  }

  private func headerLength(_ wire: WireMessage) -> Int {
    let folded = FieldDictionary(wire.fields.lazy.filter { !$0.isNamed("set-cookie") })
    let cookies = wire.fields.filter { $0.isNamed("set-cookie") }
    return cookies.reduce(folded.textLength + 4 * folded.count + 2) { $0 + $1.name.count + $1.value.count + 4 }
  }

  private func bodyLength(_ response: SeenResponse) -> Int? {
    let wire = response.wire
    if wire.method == "HEAD" || [204, 304].contains(wire.row.status) { return 0 }
    if wire.codings.isEmpty { return response.deliveredLength }
    if response.expectedLength >= 0 { return min(response.expectedLength, wire.row.octets.body) }
    return response.gzipLength
  }
}
