import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a probe's session: passes events to their transfers. It holds the transfers under way, and through them their
/// loader, so that no session is invalidated while in use.
final class Deliveries: NSObject, URLSessionDataDelegate, Sendable {
  private let transfers = Locked<[Int: Transfer]>([:])

  func expect(_ transfer: Transfer, of task: URLSessionTask) {
    transfers.withLock { $0[task.taskIdentifier] = transfer }
  }

  func forget(_ task: URLSessionTask) { _ = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) } }

  private func transfer(of task: URLSessionTask) -> Transfer? { transfers.withLock { $0[task.taskIdentifier] } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    transfer(of: dataTask)?.didReceive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(of: dataTask)?.didReceive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    transfer(of: task)?.didSend(Int(clamping: bytesSent))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard let transfer = transfer(of: task) else { return completionHandler(nil) }
    transfer.willRedirect(by: response, to: request, answer: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let transfer = transfer(of: task) else { return completionHandler(.performDefaultHandling, nil) }
    transfer.didReceive(challenge, answer: completionHandler)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let transfer = transfer(of: task) else { return }
    forget(task)
    transfer.didComplete(error)
  }

  #if !canImport(FoundationNetworking)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      transfer(of: task)?.didCollect(metrics)
    }
  #endif
}
