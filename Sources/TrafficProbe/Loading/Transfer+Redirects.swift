import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Transfer {
  /// Records a redirect as an exchange of its own, and leaves it to the app.
  ///
  /// On Apple platforms the client hears of it and starts a new load. The client of FoundationNetworking must not hear of it,
  /// because it ends the process. So there the app's delegate, if any, is asked from here, and the probe's own task continues.
  func willRedirect(
    by response: HTTPURLResponse, to request: URLRequest, answer: @escaping @Sendable (URLRequest?) -> Void
  ) {
    exchanges[exchanges.count - 1].didReceive(response)
    #if canImport(FoundationNetworking)
      guard let task = loading.task, let session = AppSession.of(task), let delegate = task.delegate else {
        return give(withCookies(request), answer)
      }
      let apps = inAppsView(request)
      session.delegateQueue.addOperation {
        delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: apps) { wanted in
          self.give(wanted.map { self.asSent($0, insteadOf: apps, request) }, answer)
        }
      }
    #else
      let next = Transfer.unmarked(inAppsView(request), hop: exchanges[exchanges.count - 1].hop + 1)
      isSettled = true
      exchanges[exchanges.count - 1].isRedirected = true
      client.wasRedirected(to: next, by: inAppsView(response))
      answer(nil)
      cancelTask()
    #endif
  }

  private func inAppsView(_ request: URLRequest) -> URLRequest {
    guard let url = request.url.flatMap({ inAppsView($0) }) else { return request }
    var apps = request
    apps.url = url
    if loading.request.value(forHTTPHeaderField: "Host") == nil { apps.setValue(nil, forHTTPHeaderField: "Host") }
    return apps
  }

  #if canImport(FoundationNetworking)
    /// The request to send: the server's, unless the app changed it.
    private func asSent(_ wanted: URLRequest, insteadOf apps: URLRequest, _ own: URLRequest) -> URLRequest {
      wanted == apps ? own : loader.probe.options.rewrite?(wanted) ?? wanted
    }

    /// Answers a redirect; nil refuses it.
    ///
    /// A task that was cancelled meanwhile does not wait for an answer any more, and a late one ends the process.
    private func give(_ request: URLRequest?, _ answer: (URLRequest?) -> Void) {
      unlessCancelled { answer(request.map(follow)) }
    }

    private func follow(_ wanted: URLRequest) -> URLRequest {
      let request = toOtherAddress(wanted)
      exchanges[exchanges.count - 1].isRedirected = true
      record(nil)
      let marked = Transfer.marked(request)
      begin(marked, hop: exchanges.count)
      return marked
    }

    /// Without a delegate, FoundationNetworking takes cookies anew from the storage for each hop; with one it does not.
    private func withCookies(_ request: URLRequest) -> URLRequest {
      guard let url = request.url, let cookies = CookieField.value(for: url, in: loader.configuration) else {
        return request
      }
      var request = request
      request.setValue(cookies, forHTTPHeaderField: "Cookie")
      return request
    }
  #endif
}
