import HTTPReassembly

/// A check of Suricata's test suite: so many HTTP events have these values.
struct SuricataCheck: Decodable {
  private let method: String?
  private let url: String?
  private let host: String?
  private let status: Int?
  private let length: Int?

  private enum CodingKeys: String, CodingKey {
    case method = "http.http_method"
    case url = "http.url"
    case host = "http.hostname"
    case status = "http.status"
    case length = "http.length"
  }

  /// Exchanges that have the values.
  func count(in run: CaptureRun) -> Int {
    let responses = run.messages.filter { $0.message.kind == .response }
    return responses.count { found in
      let message = found.message
      return (method ?? found.method) == found.method && isTarget(of: found) && (host ?? found.host) == found.host
        && (status ?? message.status) == message.status
        && (length ?? -1) == (length == nil ? -1 : message.decodedBody ?? message.octets.body)
    }
  }

  private func isTarget(of found: FoundMessage) -> Bool {
    guard let url else { return true }
    return String(url.prefix { $0 != "?" }) == found.path
  }
}
