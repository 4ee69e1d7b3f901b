import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request of the tour.
struct Load {
  var method = "GET"
  var path: String
  var headers: [String: String] = [:]
  var body: Data?
  var stream: Data?
  /// Sends `body` with an upload task.
  var isUpload = false
  /// Saves the response with a download task.
  var isDownload = false
  /// When a load is cancelled.
  enum Cancelling {
    /// After so many seconds; 0 cancels it before anything else is done.
    case after(Double)
    /// Once it has a response, whose content is still on its way.
    case answered
  }

  var cancelling: Cancelling?
  /// The status that the server answers with; nil for loads that fail.
  var status: Int? = 200

  /// The status that came, nil for a load that failed.
  func run(_ server: String, _ session: URLSession) async -> Int? {
    guard let url = URL(string: server + path) else { return nil }
    var request = URLRequest(url: url, timeoutInterval: 600)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if let stream {
      request.httpBodyStream = InputStream(data: stream)
    } else if !isUpload {
      request.httpBody = body
    }
    return await withCheckedContinuation { continuation in
      let done: @Sendable (URLResponse?, (any Error)?) -> Void = { response, error in
        continuation.resume(returning: error == nil ? (response as? HTTPURLResponse)?.statusCode : nil)
      }
      let task: URLSessionTask
      if isUpload {
        task = session.uploadTask(with: request, from: body) { done($1, $2) }
      } else if isDownload {
        task = session.downloadTask(with: request) { file, response, error in
          // On Linux nobody else removes it.
          if let file { try? FileManager.default.removeItem(at: file) }
          done(response, error)
        }
      } else {
        task = session.dataTask(with: request) { done($1, $2) }
      }
      task.resume()
      switch cancelling {
      case nil: break
      case .after(0): task.cancel()
      case .after(let seconds): DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { task.cancel() }
      case .answered:
        Task {
          // FoundationNetworking shows the response of such a task at its end, and before that its length alone.
          while task.response == nil, task.countOfBytesExpectedToReceive <= 0, task.state != .completed {
            try await Task.sleep(nanoseconds: 1_000_000)
          }
          task.cancel()
        }
      }
    }
  }
}
