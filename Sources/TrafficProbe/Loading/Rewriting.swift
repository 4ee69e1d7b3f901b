import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Transfer {
  /// The request, to its other address if it has one that only its URL can name. HTTPS keeps its URL and takes the tunnel.
  func toOtherAddress(_ request: URLRequest) -> URLRequest {
    guard let url = request.url, url.scheme?.lowercased() == "http", let host = url.host?.lowercased(),
      let other = loader.probe.options.addresses[host], let place = Tunnel.place(other, port: url.port ?? 80)
    else { return request }
    return request.sent(toHost: place.host, port: place.port)
  }
}

extension URLRequest {
  /// The same request to another host, with its original Host field. So the server sees the name that the app asked for. For a
  /// rewriting hook.
  ///
  /// With HTTPS the certificate is checked against the new host.
  /// - Parameters:
  ///   - host: Name or address.
  ///   - port: Nil keeps the port of the URL.
  /// - Returns: The request, unchanged if it has no URL or the host is invalid.
  public func sent(toHost host: String, port: Int? = nil) -> URLRequest {
    guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return self }
    var request = self
    if value(forHTTPHeaderField: "Host") == nil {
      request.setValue(RequestFields.authority(of: url), forHTTPHeaderField: "Host")
    }
    parts.host = host
    if let port { parts.port = port }
    request.url = parts.url ?? url
    return request
  }
}
