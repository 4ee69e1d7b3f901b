/// What a proxy counts, and what is inside a tunnel.
extension WitnessRule {
  static let ofProxies = [
    WitnessRule(
      name: "apache-sums-tunnel", reason: "%I and %O of a CONNECT are all that passed on the connection",
      explains: sumsOfTunnel),
    WitnessRule(
      name: "authority-form", reason: "the target of CONNECT is an authority and has no path; the log has it as one",
      explains: authorityForm),
  ]

  private static func sumsOfTunnel(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard it.isNoted("apache-sums-tunnel"), let connection = it.connection,
      connection.integer("retransmitted_bytes") == 0
    else { return false }
    switch field {
    case .requestBytes: return it.witnessed(field) == connection.integer("client_payload_bytes")
    case .responseBytes: return it.witnessed(field) == connection.integer("server_payload_bytes")
    default: return false
    }
  }

  private static func authorityForm(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .path, let request = it.request, request["method"] == "CONNECT" else { return false }
    return request["path"].isEmpty && it.witness["path"] == request["host"]
  }
}
