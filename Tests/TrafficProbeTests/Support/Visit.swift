import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an app sees of one load.
struct Outcome: Equatable, CustomStringConvertible {
  var status: Int?
  var url: String?
  var headers: [String: String] = [:]
  var body: Data?
  var error: String?
  var expected: Int64?

  var description: String {
    "\(status ?? 0) \(url ?? "") \(headers) \(body?.count ?? -1) \(error ?? "") \(expected ?? 0)"
  }

  init(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
    status = (response as? HTTPURLResponse)?.statusCode
    url = response?.url?.absoluteString
    expected = response?.expectedContentLength
    for (name, value) in (response as? HTTPURLResponse)?.allHeaderFields ?? [:] { headers["\(name)"] = "\(value)" }
    body = data
    self.error = (error as NSError?).map { "\($0.domain) \($0.code)" }
  }
}

/// A request of an app, with how it is made.
struct Visit: Sendable, CustomTestStringConvertible {
  enum How: Sendable {
    case data, upload(Data), uploadFile(Data), download
    /// Cancelled once it has a response, whose content is still on its way.
    case cancelled
  }

  var name: String
  var method = "GET"
  var path: String
  var headers: [String: String] = [:]
  var body: Data?
  var stream: Data?
  var how = How.data

  var testDescription: String { name }

  func request(_ base: String) throws -> URLRequest {
    guard let url = URL(string: base + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: 600)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    request.httpBody = body
    if let stream { request.httpBodyStream = InputStream(data: stream) }
    return request
  }

  /// Makes the request, and waits for its end.
  func outcome(_ base: String, _ session: URLSession) async throws -> Outcome {
    let request = try request(base)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    if case .uploadFile(let data) = how { try data.write(to: file) }
    return await withCheckedContinuation { continuation in
      let done: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = {
        continuation.resume(returning: Outcome($0, $1, $2))
      }
      switch how {
      case .data:
        session.dataTask(with: request, completionHandler: done).resume()
      case .upload(let data):
        session.uploadTask(with: request, from: data, completionHandler: done).resume()
      case .uploadFile:
        session.uploadTask(with: request, fromFile: file, completionHandler: done).resume()
      case .download:
        session.downloadTask(with: request) { file, response, error in
          let data = file.flatMap { try? Data(contentsOf: $0) }
          // On Linux nobody else removes it.
          if let file { try? FileManager.default.removeItem(at: file) }
          done(data, response, error)
        }.resume()
      case .cancelled:
        let task = session.dataTask(with: request, completionHandler: done)
        task.resume()
        Task {
          // FoundationNetworking shows the response of such a task at its end, and before that its length alone.
          try await wait {
            task.response != nil || task.countOfBytesExpectedToReceive > 0 || task.state == .completed
          }
          task.cancel()
        }
      }
    }
  }
}
