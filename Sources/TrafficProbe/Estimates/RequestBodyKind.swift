import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way in which the body of a request is sent. It decides on the fields that frame the body.
enum RequestBodyKind: Equatable, Sendable {
  /// No body.
  case none
  /// This many octets, with a Content-Length.
  case data(Int)
  /// A stream: chunked on Linux always, on Apple platforms unless the app set a Content-Length.
  case stream

  init(of request: URLRequest) {
    if let body = request.httpBody, !body.isEmpty {
      self = .data(body.count)
    } else if request.httpBodyStream != nil {
      self = .stream
    } else {
      self = .none
    }
  }
}
