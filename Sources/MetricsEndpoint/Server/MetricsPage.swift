import Shared

/// The current page: the analysis replaces it, and any number of requests read it.
final class MetricsPage: Service {
  private let text = Locked<[UInt8]>([])

  /// Replaces the page.
  func publish(_ exposition: [UInt8]) { text.withLock { $0 = exposition } }

  func respond(to request: RequestHead) -> Response {
    let path = request.target.prefix { $0 != "?" }
    guard path == "/metrics" || path == "/" else { return Response(status: 404) }
    guard request.method == "GET" || request.method == "HEAD" else {
      return Response(status: 405, fields: [("allow", "GET, HEAD")])
    }
    if path == "/metrics" {
      let text = text.withLock { $0 }
      return Response(fields: [("content-type", "text/plain; version=0.0.4; charset=utf-8")], content: [text])
    }
    return Response(
      fields: [("content-type", "text/plain; charset=utf-8")],
      content: [Array("sniffer's metrics for Prometheus are at /metrics\n".utf8)])
  }

  func update(after number: Int) -> Update? { nil }
  func followerLeft() {}
}
