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
  /// Other addresses for hosts: name or address, with a port if it differs (`10.0.0.7`, `[::1]:8443`). Names of hosts are in lower
  /// case. The server sees the name that the app asked for, in the Host field, in TLS (SNI) and in the check of its certificate.
  /// On Linux, HTTPS needs the environment to name `TrafficProbe.tunnelPort` (`docs/traffic-probe.md`).
  public var addresses: [String: String] = [:]
  /// Changes a response before the app gets it. It is called with the app's request, once the whole content is there; the log has
  /// the response of the wire. Content of more than 8 MiB, and a transfer that fails, are not changed.
  public var rewriteResponse: (@Sendable (URLRequest, StubResponse) -> StubResponse)?
  /// Answers a request without the network; nil sends it. A stubbed request has no record, because nothing is on the wire.
  public var stub: (@Sendable (URLRequest) -> StubResponse?)?
  /// Whether the probe meters before `TrafficProbe.isOn` was ever set.
  public var isOnAtFirst = true
  /// Where the log is sent; nil sends it nowhere. It needs a store.
  public var upload: UploadOptions?
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

/// Options for sending the log to a server.
public struct UploadOptions: Sendable {
  /// The URL that gets each batch by POST, as CSV with the log's columns and a header line. Any 2xx status accepts a batch.
  public var url: URL
  /// Fields of the requests, for example Authorization.
  public var headers: [String: String] = [:]
  /// Seconds from a written record to the next batch.
  public var interval = 60.0
  /// The largest number of rows in a batch.
  public var batchSize = 1_000
  /// Seconds until the next try after a failure. Each further failure doubles them, up to an hour.
  public var retryInterval = 5.0

  /// Sends to this URL, with the values above.
  public init(url: URL) { self.url = url }

  /// Seconds to wait after this many failures in a row, at least one.
  func wait(after failures: Int) -> Double {
    var wait = max(0.001, retryInterval)
    for _ in 1..<max(1, min(failures, 64)) where wait < 3600 { wait *= 2 }
    return min(3600, wait)
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
