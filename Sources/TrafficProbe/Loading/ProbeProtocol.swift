import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The URLProtocol: takes a request, has it sent by a session of the probe, and hands on what comes.
class ProbeProtocol: URLProtocol {
  /// The property that marks the probe's own requests, so that it does not take them again.
  static let mark = "TrafficProbe.isOwn"

  /// What loads. It holds this protocol in turn, so each of them lets go of the other when the load ends.
  private let load = Locked<(any Cancelling)?>(nil)

  override class func canInit(with request: URLRequest) -> Bool {
    guard let loader = Slots.loader(of: self), property(forKey: mark, in: request) == nil else { return false }
    return loader.probe.options.take(request)
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    #if canImport(FoundationNetworking)
      // Called on the task's work queue, where alone its state becomes canceling. A task that was cancelled while its session
      // looked into the cache is started nevertheless; its client will hear of the failure, and must hear of nothing before.
      guard task?.state == .running else { return }
    #endif
    guard let loader = Slots.loader(of: type(of: self)) else {
      client?.urlProtocol(self, didFailWithError: URLError(.cancelled))
      return
    }
    if let answer = loader.probe.options.stub?(request) {
      answer.serve(to: self)
      return
    }
    #if canImport(FoundationNetworking)
      guard let task else { return }
      guard !(task is URLSessionUploadTask), !(task is URLSessionDownloadTask),
        cachedResponse == nil, let queue = AppSession.workQueue(of: task)
      else {
        let passing = PassThrough(self, task: task, loader: loader)
        load.withLock { $0 = passing }
        passing.start()
        return
      }
      let client = Client(self, queue: queue)
    #else
      let client = Client(self)
    #endif
    let transfer = Transfer(self, client: client, loader: loader)
    load.withLock { $0 = transfer }
    loader.start(transfer)
  }

  override func stopLoading() { takeLoad()?.cancel() }

  /// Lets go of what loads, and of all that it holds: the body, the content, the session's task.
  func didEnd() { _ = takeLoad() }

  private func takeLoad() -> (any Cancelling)? {
    load.withLock { load in
      defer { load = nil }
      return load
    }
  }
}

/// What can be told to stop.
protocol Cancelling: AnyObject {
  func cancel()
}
