// What an app does with URLSession, one request after another; prints a JSON line for each:
// what the task itself says it sent and received, which is never what the wire carried.

import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

final class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
  private let finished = DispatchSemaphore(value: 0)
  private var content = 0
  private var redirects = 0

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { content += data.count }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    content += (try? Data(contentsOf: location).count) ?? 0
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    redirects += 1
    completionHandler(request)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) { finished.signal() }

  func run(_ id: String, _ task: URLSessionTask) {
    content = 0
    redirects = 0
    task.resume()
    guard finished.wait(timeout: .now() + 15) == .success else {
      FileHandle.standardError.write(Data("\(id): no answer\n".utf8))
      return
    }
    let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
    let note =
      "task-sent=\(task.countOfBytesSent) task-received=\(task.countOfBytesReceived) expected=\(task.response?.expectedContentLength ?? -1) redirects=\(redirects)"
    print(#"{"id":"\#(id)","status":\#(status),"decoded_bytes":\#(content),"note":"\#(note)"}"#)
  }
}

let recorder = Recorder()
let configuration = URLSessionConfiguration.default
configuration.urlCache = nil
configuration.timeoutIntervalForRequest = 10
let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
var count = 0

func request(_ url: String, _ method: String = "GET", _ fields: [String: String] = [:]) -> (String, URLRequest) {
  count += 1
  var request = URLRequest(url: URL(string: url)!)
  request.httpMethod = method
  request.setValue("s\(count)", forHTTPHeaderField: "X-Request")
  for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
  return ("s\(count)", request)
}

func get(_ url: String, _ fields: [String: String] = [:]) {
  let (id, request) = request(url, "GET", fields)
  recorder.run(id, session.dataTask(with: request))
}

func send(_ url: String, _ method: String, _ body: Data, _ fields: [String: String] = [:]) {
  var (id, request) = request(url, method, fields)
  request.httpBody = body
  recorder.run(id, session.dataTask(with: request))
}

func upload(_ url: String, _ method: String, _ body: Data) {
  let (id, request) = request(url, method, ["Content-Type": "application/octet-stream"])
  recorder.run(id, session.uploadTask(with: request, from: body))
}

let words = Data(String(repeating: "amber anchor apple ", count: 200).utf8)

get("http://www.example.com/")
get("http://www.example.com/text/30000.txt")  // gzip, as URLSession asks for it
get("http://www.example.com/img/photo-1.jpg")
get("http://api.example.com/api/items/7?q=a%20word&page=2&n=700")
get("http://api.example.com/api/feed?n=9000&c=6")
get("http://api.example.com/api/login?k=dark&n=100")  // sets cookies
get("http://api.example.com/api/me?n=100")  // sends them
get("http://www.example.com/old")  // 301
get("http://www.example.com/elsewhere")  // 302
get("http://www.example.com/no/such/page")
get("http://www.example.com/nothing")  // 204
get("http://api.example.com/api/fail?s=500&n=40")
get("http://www.example.com/text/10000.txt", ["Range": "bytes=0-499", "Accept-Encoding": "identity"])
send("http://api.example.com/api/orders", "POST", Data(#"{"word":"amber","count":2}"#.utf8), ["Content-Type": "application/json"])
send("http://api.example.com/api/form", "POST", Data("first=amber&second=anchor".utf8))
send("http://api.example.com/api/things/3", "PUT", words, ["Content-Type": "text/plain"])
send("http://api.example.com/api/things/3", "PATCH", Data("x".utf8))
send("http://api.example.com/api/things/3?s=204", "DELETE", Data())
upload("http://api.example.com/dav/words.txt", "PUT", words)
upload("http://api.example.com/api/photos", "POST", words + words)
do {
  let (id, request) = request("http://www.example.com/text/65536.txt")
  recorder.run(id, session.downloadTask(with: request))
}
do {
  var (id, request) = request("http://api.example.com/api/log", "POST", ["Content-Type": "text/plain"])
  request.httpBodyStream = InputStream(data: words)  // a stream: chunked on the wire
  recorder.run(id, session.dataTask(with: request))
}
do {
  let (id, request) = request("http://www.example.com/text/4096.txt", "HEAD")
  recorder.run(id, session.dataTask(with: request))
}
get("http://six.example.com/json/list-2.json")
