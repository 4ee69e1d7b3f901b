/// What curl counts.
extension WitnessRule {
  static let ofCurl = [
    WitnessRule(
      name: "body-in-size_request", reason: "size_request has the body that was sent together with the head",
      explains: bodyInSizeRequest),
    WitnessRule(
      name: "redirect-chain", reason: "size_request and size_header are sums over the requests of a redirect chain",
      explains: redirectChain),
    WitnessRule(
      name: "curl-sums-connect", reason: "size_request and size_header have the CONNECT exchange in them",
      explains: connect),
    WitnessRule(
      name: "refused-connect", reason: "size_download has nothing of a proxy's refusal", explains: refusedConnect),
  ]

  private static func bodyInSizeRequest(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .curlSizeRequest, it.isNoted("body-in-size_request") else { return false }
    return it.witnessed(field) == it.request?.integer("message_bytes")
  }

  private static func redirectChain(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    let chain = join.chain(of: it)
    guard it.isNoted("curl-sums-\(chain.count)-requests") else { return false }
    switch field {
    case .curlSizeHeader:
      return it.witnessed(field) == chain.reduce(0) { $0 + $1.responses.reduce(0) { $0 + $1.head } }
    case .curlSizeRequest:
      let requests = chain.compactMap(\.request)
      // Every body of these chains was sent together with its head.
      return requests.count == chain.count && it.witnessed(field) == requests.sum("message_bytes")
    default: return false
    }
  }

  private static func connect(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard it.isNoted("curl-sums-connect"), let request = it.request,
      let connect = join.onConnection(of: it).first, connect.request?["method"] == "CONNECT"
    else { return false }
    switch field {
    case .curlSizeHeader:
      return it.witnessed(field) == (connect.responses + it.responses).reduce(0) { $0 + $1.head }
    case .curlSizeRequest:
      let asked = connect.request?.integer("message_bytes") ?? 0
      return [request.head, request.integer("message_bytes")].contains(it.witnessed(field) - asked)
    default: return false
    }
  }

  private static func refusedConnect(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .curlSizeDownload, it.request?["method"] == "CONNECT" else { return false }
    return it.witnessed(field) == 0 && it.finalResponse?["status"].hasPrefix("2") == false
  }
}
