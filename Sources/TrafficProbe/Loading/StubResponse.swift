import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An answer as the app gets it: a stub's, or a response that is to be changed.
public struct StubResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: [String: String]
  /// The content, decoded.
  public var body: Data

  /// An answer with these parts.
  public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Delivers the answer to the client of a protocol.
  func serve(to loading: ProbeProtocol) {
    guard let url = loading.request.url,
      let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
    else {
      loading.client?.urlProtocol(loading, didFailWithError: URLError(.badServerResponse))
      return
    }
    loading.client?.urlProtocol(loading, didReceive: response, cacheStoragePolicy: .notAllowed)
    loading.client?.urlProtocol(loading, didLoad: body)
    loading.client?.urlProtocolDidFinishLoading(loading)
  }
}
