import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A response that waits for its whole content, because the app wants to change it.
struct HeldResponse {
  /// The largest number of octets that are held. Longer content goes to the app unchanged.
  static let limit = 8 << 20

  /// The response as the app would see it.
  let response: HTTPURLResponse
  private(set) var content = Data()

  init(_ response: HTTPURLResponse) { self.response = response }

  /// Adds a piece. Returns whether the content is still short enough to be held.
  mutating func add(_ data: Data) -> Bool {
    content.append(data)
    return content.count <= Self.limit
  }

  /// The response and the content that the app gets instead. A Content-Length follows the new content.
  func rewritten(for request: URLRequest, _ change: (URLRequest, StubResponse) -> StubResponse)
    -> (URLResponse, Data)
  {
    let fields = (response.allHeaderFields as? [String: String]) ?? [:]
    let original = StubResponse(status: response.statusCode, headers: fields, body: content)
    var changed = change(request, original)
    if changed.body != content {
      for name in changed.headers.keys where name.lowercased() == "content-length" {
        changed.headers[name] = String(changed.body.count)
      }
    }
    guard let url = response.url,
      let answer = HTTPURLResponse(
        url: url, statusCode: changed.status, httpVersion: "HTTP/1.1", headerFields: changed.headers)
    else { return (response, content) }
    return (answer, changed.body)
  }
}
