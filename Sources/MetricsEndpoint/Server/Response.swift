import Shared

/// What a request gets.
struct Response {
  var status = 200
  var fields: [(name: String, value: String)] = []
  /// The content, in pieces that are shared and not copied.
  var content: [[UInt8]] = []
  /// Whether the connection is closed behind it, whatever the client asks for.
  var isLast = false
  /// The number of the latest update that the client has, where updates follow. Such a response ends with its connection.
  var follows: Int?

  /// Its octets, where the connection goes on or not behind it; without content for HEAD (RFC 9110 §9.3.2).
  func octets(isLast: Bool, hasContent: Bool) -> [[UInt8]] {
    var head = "HTTP/1.1 \(status) \(ReasonPhrase.registered[status] ?? "")\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if follows == nil { head += "content-length: \(content.reduce(0) { $0 + $1.count })\r\n" }
    if isLast { head += "connection: close\r\n" }
    return [Array("\(head)\r\n".utf8)] + (hasContent ? content : [])
  }
}

/// What follows on a response that goes on.
struct Update {
  var content: [[UInt8]]
  /// Its number.
  var number: Int
  /// Whether there will be no other.
  var isLast: Bool
}

/// What a port serves. The thread that serves asks it.
protocol Service: Sendable {
  func respond(to request: RequestHead) -> Response
  /// What is newer than the update of that number, for a client whose response goes on.
  func update(after number: Int) -> Update?
  /// Such a response has ended.
  func followerLeft()
}
