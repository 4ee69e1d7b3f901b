import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Restores the app's own URL after a rewritten request went to another host.
extension Transfer {
  /// The response with the app's authority in its URL instead of the rewritten one.
  func inAppsView(_ response: URLResponse) -> URLResponse {
    guard let http = response as? HTTPURLResponse, let url = http.url, let apps = inAppsView(url), apps != url,
      let fields = http.allHeaderFields as? [String: String]
    else { return response }
    return HTTPURLResponse(url: apps, statusCode: http.statusCode, httpVersion: "HTTP/1.1", headerFields: fields)
      ?? response
  }

  /// The URL with the app's scheme, host and port instead of the rewritten ones; nil if nothing was rewritten.
  func inAppsView(_ url: URL) -> URL? {
    guard let apps = loading.request.url, let own = exchanges.first?.request.url,
      url.scheme == own.scheme, url.host == own.host, url.port == own.port,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return nil }
    parts.scheme = apps.scheme
    parts.host = apps.host
    parts.port = apps.port
    if url.path == own.path { return apps }
    return parts.url
  }
}
