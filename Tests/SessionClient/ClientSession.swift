import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An HTTP client as libraries make them, Alamofire for one. It takes a configuration, or makes one. Its session is its own, with
/// a delegate on a queue of its own. Each request is adapted before it is sent, and retried by a rule. It knows of no probe.
public final class ClientSession: Sendable {
  /// The configuration that is used when an app gives none.
  public static var defaultConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["Accept": "application/json", "X-Client": "SessionClient/1"]
    configuration.httpMaximumConnectionsPerHost = 4
    return configuration
  }

  /// What came back at last.
  public struct Response: Sendable {
    /// The status code.
    public let status: Int
    /// The content.
    public let body: Data
    /// The number of times that the request was sent.
    public let tries: Int
  }

  private let session: URLSession
  private let deliveries = ClientDeliveries()
  private let adapt: @Sendable (URLRequest) -> URLRequest
  private let retryLimit: Int

  /// - Parameters:
  ///   - configuration: The configuration of the session.
  ///   - retryLimit: The largest number of further tries after a 5xx status or an error.
  ///   - adapt: Changes each request before each try.
  public init(
    configuration: URLSessionConfiguration = ClientSession.defaultConfiguration, retryLimit: Int = 1,
    adapt: @escaping @Sendable (URLRequest) -> URLRequest = { $0 }
  ) {
    let queue = OperationQueue()
    queue.name = "SessionClient"
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: deliveries, delegateQueue: queue)
    self.retryLimit = retryLimit
    self.adapt = adapt
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Sends a request, with JSON as its content if there are parameters.
  public func send(
    _ url: URL, method: String = "GET", parameters: [String: String]? = nil, headers: [String: String] = [:]
  ) async throws -> Response {
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if let parameters {
      request.httpBody = try JSONSerialization.data(withJSONObject: parameters, options: .sortedKeys)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    var tries = 0
    while true {
      tries += 1
      do {
        let (status, body) = try await once(adapt(request))
        if status < 500 || tries > retryLimit { return Response(status: status, body: body, tries: tries) }
      } catch  where tries <= retryLimit {
        continue
      }
    }
  }

  private func once(_ request: URLRequest) async throws -> (Int, Data) {
    try await withCheckedThrowingContinuation { continuation in
      let task = session.dataTask(with: request)
      deliveries.expect(task) { continuation.resume(with: $0) }
      task.resume()
    }
  }
}

/// The session's delegate: collects the content of each task.
private final class ClientDeliveries: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private struct Load {
    var body = Data()
    let done: @Sendable (Result<(Int, Data), any Error>) -> Void
  }

  private let lock = NSLock()
  private var loads: [Int: Load] = [:]

  func expect(_ task: URLSessionTask, _ done: @escaping @Sendable (Result<(Int, Data), any Error>) -> Void) {
    lock.withLock { loads[task.taskIdentifier] = Load(done: done) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { loads[dataTask.taskIdentifier]?.body.append(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let load = lock.withLock({ loads.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      load.done(.failure(error))
    } else if let response = task.response as? HTTPURLResponse {
      load.done(.success((response.statusCode, load.body)))
    } else {
      load.done(.failure(URLError(.badServerResponse)))
    }
  }
}
