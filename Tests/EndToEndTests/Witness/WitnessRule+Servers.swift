/// What nginx, Apache and Node count.
extension WitnessRule {
  static let ofServers = [
    WitnessRule(
      name: "nginx-body-sent",
      reason: "$body_bytes_sent is all but the final head: chunk framing, trailers and a 100 Continue too",
      explains: nginxBodySent),
    WitnessRule(
      name: "nginx-tunnel", reason: "after a 101, $bytes_sent has the tunnel's octets too", explains: nginxTunnel),
    WitnessRule(
      name: "nginx-discarded-body", reason: "$request_length leaves a body out that nginx did not read",
      explains: nginxDiscardedBody),
    WitnessRule(
      name: "apache-peek", reason: "%I counts an octet twice that Apache peeked at", explains: apachePeek),
    WitnessRule(
      name: "head-content", reason: "the server logs what the content would be; HEAD has none", explains: headContent),
    WitnessRule(
      name: "server-stopped", reason: "the server logs the content that it did not get to send in full",
      explains: serverStopped),
  ]

  private static func nginxBodySent(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .responseBodyBytes, it.source == "nginx" else { return false }
    let interim = it.responses.filter { $0["status"] == "100" }.sum("message_bytes")
    return it.witnessed(field) == it.responses.reduce(interim) { $0 + $1.transferredBody }
  }

  private static func nginxTunnel(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard it.source == "nginx", it.finalResponse?["status"] == "101", let received = it.noted("tunnel-received=") else {
      return false
    }
    switch field {
    case .responseBytes: return it.witnessed(field) == it.answered + received
    case .responseBodyBytes: return it.witnessed(field) == received
    default: return false
    }
  }

  private static func nginxDiscardedBody(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    let statuses: Set = ["301", "302", "303", "307", "308", "413"]
    guard field == .requestBytes, it.source == "nginx", let request = it.request,
      statuses.contains(it.finalResponse?["status"] ?? "")
    else { return false }
    return request.transferredBody > 0 && it.witnessed(field) == request.head
  }

  private static func apachePeek(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .requestBytes, it.isNoted("apache-peek"), let request = it.request else { return false }
    return it.witnessed(field) == request.integer("message_bytes") + 1
  }

  private static func headContent(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .decodedBytes, it.request?["method"] == "HEAD" else { return false }
    return it.finalResponse?.integer("body_bytes") == 0
  }

  private static func serverStopped(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .decodedBytes, it.isNoted("incomplete") else { return false }
    guard let response = it.finalResponse else { return it.witnessed(.responseBytes) == 0 }
    return it.isFlagged(response, "incomplete") && response.integer("body_bytes") < it.witnessed(field)
  }
}
