/// What servers log of requests that they refused, and of exchanges that were given up.
extension WitnessRule {
  static let ofRefusals = [
    WitnessRule(
      name: "never-sent", reason: "the server logs a status although it sent no octet of a response",
      explains: neverSent),
    WitnessRule(
      name: "left-in-socket", reason: "octets in a socket that was reset are counted though no wire carried them",
      explains: leftInSocket),
    WitnessRule(
      name: "own-host", reason: "without a Host that it could read, nginx logs its own name", explains: ownHost),
    WitnessRule(name: "http-0.9", reason: "a response of HTTP/0.9 has no status", explains: http09),
    WitnessRule(
      name: "not-parsed", reason: "nginx counts a request that it refused up to the octet where it stopped",
      explains: notParsed),
    WitnessRule(
      name: "no-http", reason: "what the client sent, all of it, is no request", explains: noHTTP),
    WitnessRule(
      name: "refused-target", reason: "nginx counts nothing of a request whose target is too long for it",
      explains: refusedTarget),
    WitnessRule(
      name: "stray-octets", reason: "the client counts what it sent; some of it belongs to no message",
      explains: strayOctets),
  ]

  private static func neverSent(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    field == .status && it.responses.isEmpty && it.witnessed(.responseBytes) == 0
      && it.connection?.integer("missing_bytes") == 0
  }

  private static func leftInSocket(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard it.isNoted("incomplete"), let connection = it.connection, connection["end"] == "rst",
      it.isFlagged(it.finalResponse, "incomplete"), join.onConnection(of: it).count == 1
    else { return false }
    // Every octet that the wire carried is accounted for.
    let carried = connection.integer("server_payload_bytes") - connection.integer("retransmitted_bytes")
    guard it.answered == carried, carried >= it.noted("read=") ?? 0 else { return false }
    let left = it.witnessed(.responseBytes) - it.answered
    switch field {
    case .responseBytes: return left > 0
    case .responseBodyBytes: return it.witnessed(field) == it.responses.sum("body_bytes") + left
    default: return false
    }
  }

  private static func ownHost(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .host, it.source == "nginx", !join.isCutBySnapLength, let request = it.request else { return false }
    // A request that was cut may have had a host.
    if request["host_source"].isEmpty { return it.isFlagged(request, "incomplete") }
    let reasons = ["host_missing", "http_0_9", "incomplete"]
    return request["host_source"] == "address" && reasons.contains { it.isFlagged(request, $0) }
  }

  private static func http09(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    field == .status && it.isFlagged(it.finalResponse, "http_0_9") && it.finalResponse?.head == 0
  }

  private static func notParsed(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .requestBytes, it.source == "nginx", it.witness["status"] == "400", let request = it.request,
      request["exactness"] == "at_least"
    else { return false }
    let sent = it.witnessed(.clientRequestBytes)
    return it.witnessed(field) < request.integer("message_bytes") && request.integer("message_bytes") <= sent
  }

  private static func noHTTP(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    field.isOfRequest && it.witness["status"] == "400" && it.witness["method"].isEmpty && isStray(it)
  }

  private static func refusedTarget(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    field == .requestBytes && it.witness["status"] == "414" && it.witnessed(field) == 0
      && it.request?.integer("message_bytes") == it.witnessed(.clientRequestBytes)
  }

  /// Whether all that the client sent is there, as octets of no message.
  private static func isStray(_ it: WitnessedExchange) -> Bool {
    guard it.request == nil, it.isFlagged(it.finalResponse, "request_not_seen"), let connection = it.connection else {
      return false
    }
    return connection.integer("client_payload_bytes") == it.witnessed(.clientRequestBytes)
      && connection.integer("unattributed_bytes") > it.witnessed(.clientRequestBytes)
  }

  private static func strayOctets(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .clientRequestBytes, let connection = it.connection, let request = it.request,
      join.onConnection(of: it).count == 1
    else { return false }
    let stray = it.witnessed(field) - request.integer("message_bytes")
    return stray > 0 && it.witnessed(field) == connection.integer("client_payload_bytes")
      && stray <= connection.integer("unattributed_bytes")
  }
}
