import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
