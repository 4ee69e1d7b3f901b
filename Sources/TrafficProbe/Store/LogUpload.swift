import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the log's rows to a URL, in batches, one after the other.
///
/// A batch is sent until a server accepts it, and its rows are forgotten only then. The waits between tries double. Its session is
/// its own: no probe meters it, it has no cookies and no cache, and it follows no redirect to another place.
///
/// `@unchecked`: `state` is locked, the rest is set once.
final class LogUpload: NSObject, @unchecked Sendable {
  private struct State {
    var isRunning = false
    var isScheduled = false
    /// Failures since the last success.
    var failures = 0
    var isEnded = false
  }

  private let options: UploadOptions
  private let store: TrafficStore
  private let state = Locked(State())
  private let queue = DispatchQueue(label: "TrafficProbe.upload", qos: .utility)
  private let session: URLSession

  init(_ options: UploadOptions, store: TrafficStore) {
    self.options = options
    self.store = store
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 1
    session = URLSession(
      configuration: EverySession.unmetered(configuration), delegate: UploadRedirects(), delegateQueue: nil)
    super.init()
  }

  /// Ends after the current batch.
  func end() {
    state.withLock { $0.isEnded = true }
    // On the queue of those that use it: a task of a session that is invalidated ends the process.
    queue.async { [session] in session.finishTasksAndInvalidate() }
  }

  /// Sends what waits, after the interval. Called for each batch that was written.
  func wake() { schedule(after: options.interval) }

  private func schedule(after seconds: Double) {
    let isNew = state.withLock { state in
      guard !state.isScheduled, !state.isRunning, !state.isEnded else { return false }
      state.isScheduled = true
      return true
    }
    guard isNew else { return }
    queue.asyncAfter(deadline: .now() + max(0, seconds)) { [weak self] in self?.run() }
  }

  private func run() {
    let isWanted = state.withLock { state in
      state.isScheduled = false
      state.isRunning = !state.isEnded
      return state.isRunning
    }
    guard isWanted else { return }
    let batch = (try? store.withDatabase { try $0.waitingForUpload(limit: max(1, options.batchSize)) }) ?? nil
    guard let batch, !batch.isEmpty else {
      state.withLock { $0.isRunning = false }
      return
    }
    var request = URLRequest(url: options.url, timeoutInterval: 60)
    request.httpMethod = "POST"
    for (name, value) in options.headers { request.setValue(value, forHTTPHeaderField: name) }
    request.setValue("text/csv; charset=utf-8; header=present", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(batch.reduce(into: LogText.header) { $0 += LogText.line(of: $1.record) }.utf8)
    let rows = batch.map(\.row)
    session.dataTask(with: Transfer.marked(request)) { [weak self, queue] _, response, error in
      let status = (response as? HTTPURLResponse)?.statusCode
      // Not on the session's queue: this waits for the store.
      queue.async { [weak self] in self?.didEnd(rows, status: error == nil ? status : nil, error) }
    }.resume()
  }

  private func didEnd(_ rows: [Int64], status: Int?, _ error: (any Error)?) {
    var problem: String?
    if let status, (200..<300).contains(status) {
      do { try store.withDatabase { try $0.didUpload(rows) } } catch { problem = "\(error)" }
    } else {
      problem = status.map { "upload: status \($0)" } ?? error.map { "upload: " + LoadedExchange.name($0) } ?? "upload"
    }
    store.didUpload(problem == nil ? rows.count : 0, problem: problem)
    let wait = state.withLock { state in
      state.isRunning = false
      state.failures = problem == nil ? 0 : min(state.failures + 1, 32)
      return state.failures == 0 ? 0 : options.wait(after: state.failures)
    }
    schedule(after: wait)
  }
}

/// Follows no redirect: the log goes to its URL, or nowhere.
private final class UploadRedirects: NSObject, URLSessionTaskDelegate, Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }
}
