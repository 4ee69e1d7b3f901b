import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request under way and its response: the source of two records.
struct LoadedExchange {
  /// Its number in this run.
  let number: Int
  /// The request, as given to the system.
  var request: URLRequest
  /// The number of earlier redirects.
  var hop: Int
  /// The way in which the body is sent.
  var body: RequestBodyKind
  /// Whether the request names a body that is not sent (`RequestFields`).
  var mentionsBody = false
  /// Whether the body came from an upload task rather than from the request.
  var isUpload = false
  /// Seconds since 1970 UTC.
  var startedAt = Date().timeIntervalSince1970
  /// Octets of the body that were sent.
  var sent = 0
  /// The time when the last of them were given, in seconds since 1970 UTC; nil if unknown.
  var sentAt: Double?
  /// Whether the body came from the session's delegate, as a stream that libcurl announces (`Expect: 100-continue`).
  var isFromDelegate = false
  /// The chunks of a streamed body; nil if unknown.
  var framing: ChunkFraming?
  var response: HTTPURLResponse?
  var answeredAt = 0.0
  /// The time of the response's last octet, or of the error, in seconds since 1970 UTC.
  var endedAt = 0.0
  /// Whether the response was a redirect that was followed.
  var isRedirected = false
  /// The content of the response, as delivered.
  var content = DeliveredContent()

  init(_ request: URLRequest, hop: Int, number: Int) {
    self.number = number
    self.request = request
    self.hop = hop
    body = RequestBodyKind(of: request)
    #if canImport(FoundationNetworking)
      // FoundationNetworking drops the body on every redirect, even where RFC 9110 keeps it (307, 308).
      if hop > 0, body != .none {
        body = .none
        mentionsBody = true
      }
      if body == .stream { framing = ChunkFraming() }
    #endif
  }

  mutating func didSend(_ octets: Int) {
    sent += octets
    sentAt = Date().timeIntervalSince1970
    framing?.add(octets)
  }

  mutating func didReceive(_ response: HTTPURLResponse) {
    self.response = response
    content.begin(response)
    answeredAt = Date().timeIntervalSince1970
  }
}
