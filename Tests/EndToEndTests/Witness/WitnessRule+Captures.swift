/// What a capture does not have, or what cannot be read in it. Each holds only where sniffer says so itself.
extension WitnessRule {
  static let ofCaptures = [
    WitnessRule(
      name: "one-sided", reason: "the other half of the connection was not captured", explains: oneSided),
    WitnessRule(
      name: "one-sided-head", reason: "without the request nobody can tell that a response answers HEAD",
      explains: oneSidedHead),
    WitnessRule(
      name: "snap-length", reason: "the head of the message is cut by the snap length: its figures are lower bounds",
      explains: snapLength),
  ]

  /// Why sniffer has no row at all of a row of the witness; nil if it should have one.
  static func reasonForNoRow(_ it: WitnessedExchange, _ join: WitnessJoin) -> String? {
    guard let connection = it.connection else { return nil }
    switch connection["protocol"] {
    // The ledger has the octets, in `tls`; they become messages when the secrets are used.
    case "tls": return "inside-tls"
    default: break
    }
    let isInTunnel = it.isNoted("inside-tunnel") && it.isFlagged(connection, "tunnel")
    let tunnelled = connection.integer("client_payload_bytes") - join.onConnection(of: it).sentByClient
    if isInTunnel, tunnelled > 0, (join.report.ledger("tls") ?? 0) + (join.report.ledger("tunnel") ?? 0) > 0 {
      return "inside-tls-tunnel"
    }
    return oneSidedHead(.responseBytes, it, join) ? "one-sided-head" : nil
  }

  private static func oneSided(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard let connection = it.connection, it.isFlagged(connection, "one_sided") else { return false }
    return field.isOfRequest
      ? it.request == nil && connection.integer("client_payload_bytes") == 0
      : it.responses.isEmpty && connection.integer("server_payload_bytes") == 0
  }

  private static func oneSidedHead(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard let connection = it.connection, it.isFlagged(connection, "one_sided"), it.request == nil else { return false }
    let rows = join.onConnection(of: it)
    guard let head = rows.firstIndex(where: { $0.witness["method"] == "HEAD" }),
      rows[head].witness.integer("ordinal") <= it.witness.integer("ordinal"),
      rows[head].responses.isEmpty || rows[head].finalResponse?["exactness"] == "at_least"
    else { return false }
    // All octets of the connection are those of its responses, whichever they are counted into.
    let answered = rows.reduce(0) { $0 + $1.witnessed(.responseBytes) }
    return answered == connection.integer("server_payload_bytes") && answered == rows.reduce(0) { $0 + $1.answered }
  }

  private static func snapLength(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard join.isCutBySnapLength else { return false }
    guard let message = field.isOfRequest ? it.request : it.finalResponse else {
      return field.isOfRequest && it.isFlagged(it.finalResponse, "request_not_seen")
    }
    if case .host = field, it.isFlagged(message, "header_not_seen") { return message["host_source"].isEmpty }
    guard message["exactness"] == "at_least", it.isFlagged(message, "incomplete") else { return false }
    switch field {
    case .method, .path, .status: return false
    case .host: return message["host_source"].isEmpty
    // The sum is right, and what nobody can tell from a header is counted as body.
    default: return true
    }
  }
}

extension [WitnessedExchange] {
  /// Octets of the requests that sniffer found.
  fileprivate var sentByClient: Int { reduce(0) { $0 + ($1.request?.integer("message_bytes") ?? 0) } }
}
