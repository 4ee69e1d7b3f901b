import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The URLProtocol: takes a request, has a session of the probe send it, and passes the results on.
class ProbeProtocol: URLProtocol {
  /// The property that marks the probe's own requests, so that it does not take them again.
  static let mark = "TrafficProbe.isOwn"

  /// The load. It holds this protocol in turn, so each of them releases the other when the load ends.
  private let load = Locked<(any Cancelling)?>(nil)

  override class func canInit(with request: URLRequest) -> Bool {
    guard let loader = Slots.loader(of: self), loader.probe.isOn,
      property(forKey: mark, in: request) == nil
    else { return false }
    return loader.probe.options.take(request)
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    #if canImport(FoundationNetworking)
      // This is called on the task's work queue, the only queue where its state becomes canceling. A task may be cancelled while
      // its session looks into the cache, and is started nevertheless. Its client will hear of the failure, and must hear of
      // nothing before.
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

  /// Releases the load with all that it holds: the body, the content, the session's task.
  func didEnd() { _ = takeLoad() }

  private func takeLoad() -> (any Cancelling)? {
    load.withLock { load in
      defer { load = nil }
      return load
    }
  }
}

/// A load that can be stopped.
protocol Cancelling: AnyObject {
  func cancel()
}
