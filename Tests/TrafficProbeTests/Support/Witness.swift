import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A delegate that notes what it is told, in order.
final class Witness: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  enum Redirects { case follow, refuse, change }

  private let redirects: Redirects
  private let lock = NSLock()
  private var notes: [String] = []
  private var content = Data()
  private var continuation: CheckedContinuation<Void, Never>?

  init(redirects: Redirects = .follow) { self.redirects = redirects }

  private func note(_ text: String) { lock.withLock { notes.append(text) } }

  /// Loads, and gives what was noted; the content as one note, since pieces have no borders of their own.
  func load(_ request: URLRequest, in session: URLSession) async throws -> [String] {
    let task = session.dataTask(with: request)
    await withCheckedContinuation { continuation in
      lock.withLock { self.continuation = continuation }
      task.resume()
    }
    return lock.withLock { notes + ["content \(content.count) \(content.hashValue)"] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response \((response as? HTTPURLResponse)?.statusCode ?? 0) \(response.url?.path ?? "")")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { content.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note("redirect \(response.statusCode) to \(request.httpMethod ?? "") \(request.url?.path ?? "")")
    switch redirects {
    case .follow: completionHandler(request)
    case .refuse: completionHandler(nil)
    case .change:
      var changed = request
      changed.setValue("yes", forHTTPHeaderField: "X-Changed")
      completionHandler(changed)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    note("challenge \(challenge.protectionSpace.authenticationMethod) \(challenge.previousFailureCount)")
    completionHandler(.useCredential, URLCredential(user: "a", password: "b", persistence: .none))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("end " + ((error as NSError?).map { "\($0.domain) \($0.code)" } ?? "well"))
    let continuation = lock.withLock {
      defer { self.continuation = nil }
      return self.continuation
    }
    continuation?.resume()
  }
}
