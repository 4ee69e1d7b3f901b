import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension LoadedExchange {
  /// The record of the request while it is under way. It counts a body of known length as sent whole. `unknown` has `cut`,
  /// because the request may have ended anywhere.
  func pending(configuration: URLSessionConfiguration) -> TrafficRecord? {
    guard var record = outline(configuration: configuration) else { return nil }
    if case .data(let octets) = body { record.bodyLength = octets }
    record.framingLength = body == .stream ? nil : 0
    record.unknown = ResponseBody.Unknown.cut.rawValue
    record.isPending = true
    return record
  }

  /// The line and header of the request.
  private func outline(configuration: URLSessionConfiguration, tables: FieldTables? = nil) -> TrafficRecord? {
    guard let url = request.url else { return nil }
    let lines = RequestFields.lines(
      of: request, url: url, body: body, configuration: configuration, mentionsBody: mentionsBody, isUpload: isUpload,
      isFromDelegate: isFromDelegate)
    let target = ExpectedTarget(url)
    let host = lines.first { $0.named("Host") }?.value.lowercased() ?? ""
    let method = request.httpMethod ?? "GET"
    let isSecure = url.scheme?.lowercased() == "https"
    return TrafficRecord(
      host: host, path: target.path, kind: .request, occurTime: startedAt,
      lineLength: ExpectedRequestLine.octets(method: method, target: target), headerLength: lines.sectionOctets,
      method: method,
      queryLength: target.queryOctets, hop: hop, exchange: number,
      compressedLength: isSecure ? tables?.request(lines, host: host, method: method, target: target) : nil)
  }

  /// The records of the request, and of the response if one came.
  func records(configuration: URLSessionConfiguration, tables: FieldTables, error: (any Error)?) -> [TrafficRecord] {
    guard var sent = outline(configuration: configuration, tables: tables) else { return [] }
    let method = sent.method
    let response = LoadedExchange.answersProxy(error) ? nil : self.response
    sent.error = error.map(LoadedExchange.name) ?? ""
    sent.duration = max(0, endedAt - startedAt) * 1000
    sent.endTime = response == nil ? endedAt : sentAt
    if response != nil || !LoadedExchange.neverLeft(error) {
      fillBody(of: &sent, error: error)
    } else {
      sent.lineLength = 0
      sent.headerLength = 0
      if sent.compressedLength != nil { sent.compressedLength = 0 }
      sent.framingLength = 0
    }
    guard let response else { return [sent] }
    var received = sent
    received.kind = .response
    received.occurTime = answeredAt
    received.endTime = endedAt
    received.duration = nil
    received.contentType = ResponseFields.mediaType(of: response)
    received.status = response.statusCode
    received.lineLength = ExpectedStatusLine.octets(status: response.statusCode)
    let lines = ResponseFields.lines(of: response)
    received.headerLength = lines.sectionOctets
    if sent.compressedLength != nil {
      received.compressedLength = tables.response(lines, host: sent.host, status: response.statusCode)
    }
    let body = ResponseBody(
      of: response, method: method, delivered: content.octets, recompressed: content.gzipLength(),
      missing: ResponseBody.missing(in: error), isComplete: error == nil, isSwallowed: isRedirected)
    received.bodyLength = body.octets
    received.framingLength = body.unknown.contains(.framing) ? nil : 0
    received.unknown = body.unknown.map(\.rawValue).joined(separator: " ")
    return [sent, received]
  }

  /// Fills in the body. After an interruption by a response or an error, only the sent part counts.
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
      record.framingLength = isBodyWhole(error: error) ? framing?.octets : framing?.octetsOfChunks
    }
    var unknown: [ResponseBody.Unknown] = []
    if record.framingLength == nil { unknown.append(.framing) }
    if error != nil, response == nil { unknown.append(.cut) }
    record.unknown = unknown.map(\.rawValue).joined(separator: " ")
  }

  /// Whether a stream was sent to its end, with the last chunk. An interrupted exchange asks its stream for no more data. The
  /// stream is at its end when it was asked and had no more.
  private func isBodyWhole(error: (any Error)?) -> Bool {
    if error == nil, (response?.statusCode ?? 200) < 400 { return true }
    return request.httpBodyStream?.streamStatus == .atEnd || request.httpBodyStream?.streamStatus == .closed
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

  /// Whether a response beside this error is a proxy's answer to CONNECT. FoundationNetworking takes it for the server's, and a
  /// handshake that failed has no other.
  private static func answersProxy(_ error: (any Error)?) -> Bool {
    #if canImport(FoundationNetworking)
      return (error as NSError?).map(FailedHandshake.isCause) ?? false
    #else
      return false
    #endif
  }

  /// Domain and code, without text, which could name a query.
  static func name(_ error: any Error) -> String { "\((error as NSError).domain) \((error as NSError).code)" }
}
