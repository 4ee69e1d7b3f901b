import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests of one configuration, through a session of its own.
///
/// `@unchecked`: everything is set once; any thread may use sessions, and the configuration is only read.
final class Loader: @unchecked Sendable {
  let probe: TrafficProbe
  /// A copy of the app's configuration, without protocols of any probe.
  let configuration: URLSessionConfiguration
  let tables = FieldTables()
  private let deliveries = Deliveries()
  private let diversions = Deliveries()
  private let session: URLSession
  /// The session whose connections go to other addresses; nil without such.
  private let diverted: URLSession?
  /// On Linux a task cannot be started from within `startLoading`, which runs on a queue that the new task would wait for.
  private let starting = DispatchQueue(label: "TrafficProbe.start")

  init(probe: TrafficProbe, configuration original: URLSessionConfiguration) {
    self.probe = probe
    configuration = EverySession.unmetered((original.copy() as? URLSessionConfiguration) ?? .default)
    #if canImport(FoundationNetworking)
      // A session with a cache looks into it on another queue before a task starts. A task that is cancelled meanwhile hears of
      // it from that queue, in no order with its end. It ends the process when its end came first. The app's session has looked
      // into its cache already, and a cached response goes through `PassThrough`. FoundationNetworking itself stores nothing.
      configuration.urlCache = nil
    #endif
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: deliveries, delegateQueue: queue)
    #if canImport(FoundationNetworking)
      // FoundationNetworking has the property and never reads it: only the environment names a proxy there.
      diverted = nil
    #else
      if let port = probe.tunnelPort {
        let tunneled = (configuration.copy() as? URLSessionConfiguration) ?? .default
        // The names of these keys are constants on macOS alone.
        tunneled.connectionProxyDictionary = ["HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": port]
        diverted = URLSession(
          configuration: EverySession.unmetered(tunneled), delegate: diversions, delegateQueue: queue)
      } else {
        diverted = nil
      }
    #endif
  }

  deinit {
    session.finishTasksAndInvalidate()
    diverted?.finishTasksAndInvalidate()
  }

  /// The session for a request, and the place where its transfer is expected: tasks have numbers of their session.
  private func way(of request: URLRequest) -> (URLSession, Deliveries) {
    guard let diverted, request.url?.scheme?.lowercased() == "https", let host = request.url?.host?.lowercased(),
      probe.options.addresses[host] != nil
    else { return (session, deliveries) }
    return (diverted, diversions)
  }

  /// Cancels a task of this session, soon.
  func cancel(_ task: URLSessionTask) { starting.async { task.cancel() } }

  func start(_ transfer: Transfer) {
    starting.async { [self] in
      let request = transfer.ownRequest()
      let (session, deliveries) = way(of: request)
      let task = session.dataTask(with: request)
      guard transfer.willStart(task) else {
        // Otherwise the session would keep it forever, with its body.
        task.cancel()
        return
      }
      deliveries.expect(transfer, of: task)
      task.resume()
    }
  }
}
