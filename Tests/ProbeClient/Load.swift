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
  /// Seconds after which the load is cancelled; 0 cancels it at once.
  var cancelledAfter: Double?
  /// The expected status; nil for loads that fail.
  var status: Int? = 200

  /// Runs the load. Returns the received status, nil when the load failed.
  func run(_ server: String, _ session: URLSession) async -> Int? {
    guard let url = URL(string: server + path) else { return nil }
    var request = URLRequest(url: url, timeoutInterval: 30)
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
          // On Linux only this code removes it.
          if let file { try? FileManager.default.removeItem(at: file) }
          done(response, error)
        }
      } else {
        task = session.dataTask(with: request) { done($1, $2) }
      }
      task.resume()
      if cancelledAfter == 0 {
        task.cancel()
      } else if let cancelledAfter {
        DispatchQueue.global().asyncAfter(deadline: .now() + cancelledAfter) { task.cancel() }
      }
    }
  }
}
