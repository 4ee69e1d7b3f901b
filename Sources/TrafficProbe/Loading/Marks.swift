import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The probe's marks in requests, which only protocols see.
extension Transfer {
  private static let hopKey = "TrafficProbe.hop"

  /// The request with the mark that keeps the probe from taking it.
  static func marked(_ request: URLRequest) -> URLRequest { setting(true, ProbeProtocol.mark, in: request) }

  /// The request without the mark, and with its place in a chain of redirects, for the app's session to load.
  static func unmarked(_ request: URLRequest, hop: Int) -> URLRequest {
    guard let mutable = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return request }
    URLProtocol.removeProperty(forKey: ProbeProtocol.mark, in: mutable)
    URLProtocol.setProperty(hop, forKey: hopKey, in: mutable)
    return mutable as URLRequest
  }

  static func hop(of request: URLRequest) -> Int { URLProtocol.property(forKey: hopKey, in: request) as? Int ?? 0 }

  private static func setting(_ value: Any, _ key: String, in request: URLRequest) -> URLRequest {
    guard let mutable = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return request }
    URLProtocol.setProperty(value, forKey: key, in: mutable)
    return mutable as URLRequest
  }
}
