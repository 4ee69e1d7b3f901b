import Shared

/// The response to a request.
struct Response {
  var status = 200
  var fields: [(name: String, value: String)] = []
  /// The content, in pieces that are shared, not copied.
  var content: [[UInt8]] = []
  /// Whether the connection is closed after it, even if the client asks to keep it.
  var isLast = false
  /// The number of the client's latest update, if updates follow. Such a response ends with its connection.
  var follows: Int?

  /// Its octets. `isLast` says that the connection ends after it; `hasContent` is false for HEAD (RFC 9110 §9.3.2).
  func octets(isLast: Bool, hasContent: Bool) -> [[UInt8]] {
    var head = "HTTP/1.1 \(status) \(ReasonPhrase.registered[status] ?? "")\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if follows == nil { head += "content-length: \(content.reduce(0) { $0 + $1.count })\r\n" }
    if isLast { head += "connection: close\r\n" }
    return [Array("\(head)\r\n".utf8)] + (hasContent ? content : [])
  }
}

/// A later part of a response that goes on.
struct Update {
  var content: [[UInt8]]
  /// Its number.
  var number: Int
  /// Whether it ends the response.
  var isLast: Bool
}

/// A service that answers requests. The thread of the port calls it.
protocol Service: Sendable {
  func respond(to request: RequestHead) -> Response
  /// The update after update `number`, for a client whose response goes on; nil if there is none.
  func update(after number: Int) -> Update?
  /// A response that goes on has ended.
  func followerLeft()
}
