/// Decides about requests to the page of a live run. They need its token, and name the server by address or as `localhost`.
///
/// A page of another site can make a browser send requests to this server. If it gives this address a name of its own (DNS rebinding), the
/// browser even takes the server for part of that site. Such a request has that name in Host, has another Origin, or names another site in
/// Sec-Fetch-Site. All three are refused before the token is compared.
struct PageGate: Sendable {
  /// The answer to a request.
  enum Decision: Equatable {
    /// The document.
    case page
    /// Updates after the page of that number, as they come.
    case events(after: Int)
    /// A status without the page.
    case refused(Int)
  }

  /// The first segment of every path.
  let token: [UInt8]
  /// The port of the server.
  let port: Int
  /// Whether requests may come from other machines, to any address.
  let allowsOthers: Bool

  /// Makes a token that cannot be guessed: 132 random bits, in characters that need no escaping in a URL (RFC 4648 §5).
  static func newToken() -> String {
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    // The system's generator is cryptographic.
    var random = SystemRandomNumberGenerator()
    return String(
      decoding: (0..<22).map { _ in characters[Int(random.next() & 63)] }, as: UTF8.self)
  }

  /// Decides about a request.
  func decide(_ request: RequestHead) -> Decision {
    guard let host = request["host"].first else { return .refused(400) }
    guard isOwn(host: host), isOwn(origins: request["origin"], host: host) else { return .refused(403) }
    let octets = Array(request.target.utf8)
    let query = octets.firstIndex(of: UInt8(ascii: "?")) ?? octets.count
    let slash = UInt8(ascii: "/")
    let pieces = octets[..<query].split(separator: slash, maxSplits: 2, omittingEmptySubsequences: false)
    guard pieces.count == 3, pieces[0].isEmpty, isToken(pieces[1]) else { return .refused(404) }
    let decision: Decision
    switch String(decoding: pieces[2], as: UTF8.self) {
    case "": decision = .page
    case "events": decision = .events(after: latest(request, octets[query...].dropFirst()))
    default: return .refused(404)
    }
    guard isFromHere(request, decision) else { return .refused(403) }
    return request.method == "GET" || request.method == "HEAD" && decision == .page ? decision : .refused(405)
  }

  // MARK: Checks

  /// Whether a Host field (RFC 9110 §7.2) names this server by an address or as `localhost`. Browsers take `localhost` for the
  /// loopback address without a lookup (RFC 6761 §6.3).
  private func isOwn(host: String) -> Bool {
    var (name, port) = (host[...], 80)
    if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
      let digits = host[host.index(after: colon)...]
      guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits) else {
        return false
      }
      (name, port) = (host[..<colon], number)
    }
    guard port == self.port else { return false }
    if name.lowercased() == "localhost" { return true }
    if name.first == "[", name.last == "]" {
      name = name.dropFirst().dropLast()
    } else if name.contains(":") {
      return false
    }
    guard let address = InternetAddress(String(name)) else { return false }
    return allowsOthers || address.isLoopback
  }

  /// Whether Origin (RFC 6454 §7), if present, is this server under the name in Host.
  private func isOwn(origins: [String], host: String) -> Bool {
    origins.isEmpty || origins.count == 1 && origins[0].lowercased() == "http://\(host.lowercased())"
  }

  /// Whether the request comes from the page or a person. Other sites may only link to the page (Fetch Metadata §2).
  private func isFromHere(_ request: RequestHead, _ decision: Decision) -> Bool {
    let site = request["sec-fetch-site"]
    if site.isEmpty || site == ["same-origin"] || site == ["none"] { return true }
    return decision == .page && request["sec-fetch-mode"] == ["navigate"]
      && request["sec-fetch-dest"] == ["document"]
  }

  /// Compares with the token in constant time.
  private func isToken(_ piece: ArraySlice<UInt8>) -> Bool {
    guard piece.count == token.count else { return false }
    return zip(piece, token).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// The number of the client's page: from the latest event, or else from its document.
  private func latest(_ request: RequestHead, _ query: ArraySlice<UInt8>) -> Int {
    if let last = request["last-event-id"].first, let number = Int(last) { return number }
    let text = String(decoding: query, as: UTF8.self)
    return text.hasPrefix("after=") ? Int(text.dropFirst("after=".count)) ?? 0 : 0
  }
}
