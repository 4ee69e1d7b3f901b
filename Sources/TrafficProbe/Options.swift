import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The requests that the probe takes, its changes to them, and the options of its store.
public struct ProbeOptions: Sendable {
  /// Schemes to take, in lower case. Others than `http` and `https` are never taken.
  public var schemes: Set<String> = ["http", "https"]
  /// Hosts to take, in lower case, without port; nil takes all. `*.example.com` takes every name below `example.com`.
  public var hosts: Set<String>?
  /// A final decision on a request. Called on any thread, more than once per request.
  public var takes: (@Sendable (URLRequest) -> Bool)?
  /// Changes a request before it is sent; the app still sees its own. `URLRequest.sent(toHost:port:)` helps.
  public var rewrite: (@Sendable (URLRequest) -> URLRequest)?
  /// Answers a request without the network; nil sends it. A stubbed request has no record, because nothing is on the wire.
  public var stub: (@Sendable (URLRequest) -> StubResponse?)?
  /// The options of the store.
  public var store = StoreOptions()

  /// Takes every HTTP request, and changes none.
  public init() {}

  /// Whether to take a request.
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

/// Options for storing records.
public struct StoreOptions: Sendable {
  /// The largest number of records that wait in memory; more are dropped and counted.
  public var bufferLimit = 10_000
  /// The number of waiting records that starts a write at once.
  public var batchSize = 200
  /// The largest number of seconds before records are written.
  public var writeInterval = 1.0
  /// The largest number of rows in the file; the oldest are deleted first.
  public var maximumRows = 1_000_000

  /// The values above.
  public init() {}
}
