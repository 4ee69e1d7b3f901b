import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the probe takes, how it changes requests when it is asked to, and how it stores.
public struct ProbeOptions: Sendable {
  /// Schemes to take, in lower case. Others than `http` and `https` are never taken.
  public var schemes: Set<String> = ["http", "https"]
  /// Hosts to take, in lower case, without port; nil takes all. `*.example.com` takes every name below `example.com`.
  public var hosts: Set<String>?
  /// A last word on whether to take a request. Called on any thread, more than once per request.
  public var takes: (@Sendable (URLRequest) -> Bool)?
  /// Changes a request before it is sent; the app keeps seeing its own. `URLRequest.sent(toHost:port:)` helps.
  public var rewrite: (@Sendable (URLRequest) -> URLRequest)?
  /// Answers a request without the network; nil lets it go on. Nothing is recorded of it, as nothing is on the wire.
  public var stub: (@Sendable (URLRequest) -> StubResponse?)?
  /// How records are stored.
  public var store = StoreOptions()

  /// Takes every HTTP request, and changes none.
  public init() {}

  /// Whether a request is to be taken.
  func take(_ request: URLRequest) -> Bool {
    guard let url = request.url, let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      schemes.contains(scheme), let host = url.host?.lowercased()
    else { return false }
    if let hosts, !hosts.contains(host),
      !hosts.contains(where: { $0.hasPrefix("*.") && host.hasSuffix($0.dropFirst()) })
    {
      return false
    }
    return takes?(request) ?? true
  }
}

/// How records are stored.
public struct StoreOptions: Sendable {
  /// Records that may wait in memory; more are dropped and counted.
  public var bufferLimit = 10_000
  /// Records that are written at once, at the latest.
  public var batchSize = 200
  /// Seconds after which records are written, at the latest.
  public var writeInterval = 1.0
  /// Rows that the file keeps; the oldest beyond are deleted.
  public var maximumRows = 1_000_000

  /// The values above.
  public init() {}
}
