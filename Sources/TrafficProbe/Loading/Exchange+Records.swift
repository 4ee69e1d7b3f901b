import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Exchange {
  /// The record of the request, and that of the response when one came.
  func records(number: Int, configuration: URLSessionConfiguration, error: (any Error)?) -> [TrafficRecord] {
    guard let url = request.url else { return [] }
    let lines = RequestFields.lines(
      of: request, url: url, body: body, configuration: configuration, mentionsBody: mentionsBody, isUpload: isUpload)
    let target = RequestTarget(url)
    let host = lines.first { $0.named("Host") }?.value.lowercased() ?? ""
    let method = request.httpMethod ?? "GET"
    var sent = TrafficRecord(
      host: host, path: target.path, kind: .request, occurTime: startedAt, method: method,
      queryLength: target.queryOctets, hop: hop, exchange: number)
    sent.error = error.map(Exchange.name) ?? ""
    if response != nil || !Exchange.neverLeft(error) {
      sent.lineLength = RequestLine.octets(method: method, target: target)
      sent.headerLength = lines.sectionOctets
      fillBody(of: &sent, error: error)
    } else {
      sent.framingLength = 0
    }
    guard let response else { return [sent] }
    var received = sent
    received.kind = .response
    received.occurTime = answeredAt
    received.status = response.statusCode
    received.lineLength = StatusLine.octets(status: response.statusCode)
    received.headerLength = ResponseFields.lines(of: response).sectionOctets
    let body = ResponseBody(
      of: response, method: method, delivered: content.octets, recompressed: content.gzipLength(),
      missing: ResponseBody.missing(in: error), isComplete: error == nil, isSwallowed: isRedirected)
    received.bodyLength = body.octets
    received.framingLength = body.unknown.contains(.framing) ? nil : 0
    received.unknown = body.unknown.map(\.rawValue).joined(separator: " ")
    return [sent, received]
  }

  /// A body that a response or an error interrupted counts with what was sent of it.
  private func fillBody(of record: inout TrafficRecord, error: (any Error)?) {
    record.framingLength = 0
    switch body {
    case .none:
      break
    case .data(let octets):
      let isInterrupted = error != nil || (response?.statusCode ?? 200) >= 400
      record.bodyLength = isInterrupted && sent > 0 ? min(sent, octets) : octets
    case .stream:
      record.bodyLength = sent
      record.framingLength = framing?.octets
      if framing == nil { record.unknown = ResponseBody.Unknown.framing.rawValue }
    }
    if error != nil, response == nil { record.unknown = ResponseBody.Unknown.cut.rawValue }
  }

  /// Whether an error says that no octet of the request was sent.
  static func neverLeft(_ error: (any Error)?) -> Bool {
    guard let error = error as NSError?, error.domain == NSURLErrorDomain else { return false }
    #if canImport(FoundationNetworking)
      if FailedHandshake.isCause(of: error) { return true }
    #endif
    let codes: [URLError.Code] = [
      .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .secureConnectionFailed,
      .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired, .badURL, .unsupportedURL,
      .dataLengthExceedsMaximum, .internationalRoamingOff, .callIsActive, .dataNotAllowed,
    ]
    return codes.contains { $0.rawValue == error.code }
  }

  /// Domain and code: no text, which could name a query.
  static func name(_ error: any Error) -> String { "\((error as NSError).domain) \((error as NSError).code)" }
}
