import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way back to the app: passes the results of a transfer to the client of its protocol.
///
/// Apple's loading system expects calls on the thread on which it started the load, through its run loop. Linux expects calls on
/// the task's work queue (`AppSession`), and keeps only the last piece of data for a completion handler. So there the content is
/// collected and delivered in one piece.
///
/// `@unchecked`: used on the session's serial delegate queue, except `close`, which is locked.
final class Client: @unchecked Sendable {
  private let loading: ProbeProtocol
  private let isClosed = Locked(false)
  #if canImport(FoundationNetworking)
    private let queue: DispatchQueue
    private var content = Data()

    init(_ loading: ProbeProtocol, queue: DispatchQueue) {
      self.loading = loading
      self.queue = queue
    }
  #else
    private let runLoop = RunLoop.current
    private let mode = RunLoop.current.currentMode ?? .default

    init(_ loading: ProbeProtocol) { self.loading = loading }
  #endif

  /// Stops all further calls of the client.
  func close() { isClosed.withLock { $0 = true } }

  func didReceive(_ response: URLResponse) {
    tell { $0.urlProtocol($1, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  func didReceive(_ data: Data) {
    #if canImport(FoundationNetworking)
      content.append(data)
    #else
      tell { $0.urlProtocol($1, didLoad: data) }
    #endif
  }

  func didComplete(_ error: (any Error)?) {
    giveContent()
    if let error {
      tell { $0.urlProtocol($1, didFailWithError: error) }
    } else {
      tell { $0.urlProtocolDidFinishLoading($1) }
    }
  }

  func didReceive(_ challenge: URLAuthenticationChallenge) {
    giveContent()
    #if canImport(FoundationNetworking)
      // This is the last call; the client does the rest by itself. It may wait for the work queue, so it is not called from
      // there.
      queue.async { [self] in
        let isClosed = isClosed.withLock { closed in
          defer { closed = true }
          return closed
        }
        guard !isClosed, loading.task?.state == .running else { return }
        DispatchQueue.global().async { [self] in loading.client?.urlProtocol(loading, didReceive: challenge) }
      }
    #else
      tell { $0.urlProtocol($1, didReceive: challenge) }
    #endif
  }

  private func giveContent() {
    #if canImport(FoundationNetworking)
      guard !content.isEmpty else { return }
      let all = content
      content = Data()
      tell { $0.urlProtocol($1, didLoad: all) }
    #endif
  }

  #if !canImport(FoundationNetworking)
    func wasRedirected(to request: URLRequest, by response: URLResponse) {
      tell {
        $0.urlProtocol($1, wasRedirectedTo: request, redirectResponse: response)
        // The redirected load ends with this error; the client does not show it to the app.
        $0.urlProtocol($1, didFailWithError: CocoaError(.userCancelled))
      }
    }
  #endif

  private func tell(_ what: @escaping @Sendable (any URLProtocolClient, ProbeProtocol) -> Void) {
    #if canImport(FoundationNetworking)
      queue.async { [self] in
        // A task that is being cancelled gets its end on this queue, and cannot take two. Its state becomes canceling on this
        // queue only, so nothing can come between this check and the call.
        guard loading.task?.state == .running, !isClosed.withLock({ $0 }), let client = loading.client else { return }
        what(client, loading)
      }
    #else
      runLoop.perform(inModes: [mode, .default]) { [self] in
        if !isClosed.withLock({ $0 }), let client = loading.client { what(client, loading) }
      }
      CFRunLoopWakeUp(runLoop.getCFRunLoop())
    #endif
  }
}
