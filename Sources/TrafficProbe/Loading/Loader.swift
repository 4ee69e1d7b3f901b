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
  private let deliveries = Deliveries()
  private let session: URLSession
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
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Cancels a task of this session, soon.
  func cancel(_ task: URLSessionTask) { starting.async { task.cancel() } }

  func start(_ transfer: Transfer) {
    starting.async { [self] in
      let task = session.dataTask(with: transfer.ownRequest())
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
