import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests of one configuration, through a session of its own.
///
/// `@unchecked`: everything is set once; sessions may be used from any thread, and the configuration is only read.
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
    configuration = (original.copy() as? URLSessionConfiguration) ?? .default
    configuration.protocolClasses = configuration.protocolClasses?.filter { !($0 is ProbeProtocol.Type) }
    #if canImport(FoundationNetworking)
      // A session with a cache looks into it on another queue before a task starts. A task that is cancelled meanwhile is told
      // so from there, in no order with its end, and ends the process when its end came first. The app's session has looked
      // already, and what it found goes through `PassThrough`; FoundationNetworking itself stores nothing.
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
        // The session would keep it, with its body, for ever.
        task.cancel()
        return
      }
      deliveries.expect(transfer, of: task)
      task.resume()
    }
  }
}
