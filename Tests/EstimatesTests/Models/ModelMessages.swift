import ContentCodings
import Estimates
import HTTPReassembly
import TestSupport

/// Small messages whose lengths can be counted by hand. Of each: *n* field lines and *S*, octets of their names and values,
/// as sent; then the same as an app sees them, and *J*. Folded names count once.
enum ModelMessages {
  struct Case: Sendable {
    let name: String
    /// The method of the request that a response answers.
    var method = "GET"
    let octets: [UInt8]
    /// Octets on the wire: line, header, body, framing with trailer.
    let wire: [Int]
  }

  /// "hello" as a gzip member of one stored block: 28 octets. zlib makes 25 of it: 10 and 8 around, 5 literals and the
  /// block's ends in 7.
  static let gzipped: [UInt8] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xfa, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x86, 0xa6, 0x10, 0x36, 5, 0,
    0, 0,
  ]
  /// "hello" with zlib's wrapper: 16 octets.
  static let deflated: [UInt8] = [
    0x78, 1, 1, 5, 0, 0xfa, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x06, 0x2c, 0x02, 0x15,
  ]

  static let requests: [Case] = [
    // n 3, S 13 + 9 + 5 = 27: header 27 + 12 + 2. Seen X-Id: n 1, S 5, J 5 + 11 + 2. Path line 3 + 1 + 2 + 1 + 8 = 15.
    Case("query", "GET /u?id=1 HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nX-Id: 7\r\n\r\n", wire: [22, 41, 0, 0]),
    // n 4, S 13 + 13 + 22 + 15 = 63: header 63 + 16 + 2. Seen Content-Type: n 1, S 22, one escape, J 36. Cookie: S 13, three
    // escapes, J 29; both together n 2, S 35, J 35 + 22 + 2 + 4. Path line with "/a b": 4 + 1 + 4 + 1 + 8 = 18.
    Case(
      "form",
      "POST /a%20b/ HTTP/1.1\r\nHost: a.example\r\nCookie: k=\"v/w\"\r\nContent-Type: text/plain\r\n"
        + "Content-Length: 5\r\n\r\nhello", wire: [23, 81, 5, 0]),
    // n 4, S 13 + 24 + 4 + 4 = 45: header 45 + 16 + 2. Seen Transfer-Encoding and X-A of "1, 2": n 2, S 24 + 7, J 55. All
    // folded: n 3, S 44. Path line 15. Framing 3 + 2 + 3 + 2.
    Case(
      "stream",
      "PUT /f HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nx-a: 2\r\n\r\n"
        + "5\r\nhello\r\n0\r\n\r\n", wire: [17, 63, 5, 10]),
    // n 3, S 13 + 20 + 24 = 57: header 57 + 12 + 2. Seen: n 2, S 44, J 68. Path line 16. The body's gzip is 10 + 5 + 8.
    Case(
      "coded stream",
      "POST /g HTTP/1.1\r\nHost: a.example\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "a\r\naaaaaaaaaa\r\n0\r\n\r\n", wire: [18, 71, 10, 10]),
    // n 1, S 13: header 13 + 4 + 2. Seen nothing: J 4. Path line 16.
    Case("bare", "HEAD /u HTTP/1.1\r\nHost: a.example\r\n\r\n", wire: [18, 19, 0, 0]),
    // n 3, S 13 + 8 + 15 = 36: header 36 + 12 + 2. Seen X-T: n 1, S 8, a tab and a backslash escaped, J 8 + 11 + 2 + 2. Path
    // line 17.
    Case(
      "escaped", "PATCH /j HTTP/1.1\r\nHost: a.example\r\nX-T: a\tb\\c\r\nContent-Length: 2\r\n\r\n{}",
      wire: [19, 50, 2, 0]),
  ]

  static let responses: [Case] = [
    // n 4, S 22 + 13 + 13 + 15 = 63: header 81. Folded: n 3, S 22 + 18 + 15 = 55, one escape, J 55 + 33 + 2 + 1.
    Case(
      "cookies",
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 5\r\n\r\n"
        + "hello", wire: [17, 81, 5, 0]),
    // n 2, S 10 + 15: header 35, one escape, J 50. The registered phrase is "Found": line 8 + 1 + 3 + 1 + 5 + 2.
    Case(
      "redirect", "HTTP/1.1 302 Moved Temporarily\r\nLocation: /n\r\nContent-Length: 0\r\n\r\n", wire: [32, 35, 0, 0]),
    // n 1, S 24: header 30. With Identity S 25, J 38. Framing 5 + 5 + 3 + 2, and a trailer of 8.
    Case(
      "chunked",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n",
      wire: [17, 30, 11, 23]),
    // n 2, S 20 + 16: header 46, J 60. D 5.
    Case(
      "gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 28\r\n\r\n", content: gzipped,
      wire: [17, 46, 28, 0]),
    // n 2, S 20 + 24: header 54. With Identity S 45, J 69. Framing 4 + 2 + 5.
    Case(
      "gzip, chunked", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n",
      content: gzipped + Array("\r\n0\r\n\r\n".utf8), wire: [17, 54, 28, 11]),
    // n 2, S 23 + 16: header 49, J 63. D 5.
    Case(
      "deflate", "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 16\r\n\r\n", content: deflated,
      wire: [17, 49, 16, 0]),
    // n 1, S 18: header 24, J 31. No content: D 0, but eCL 1234.
    Case("head", method: "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", wire: [17, 24, 0, 0]),
    // n 1, S 7: header 13, two escapes, J 22.
    Case("not modified", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n", wire: [27, 13, 0, 0]),
    // n 2, S 5 + 15: header 30, J 44. The é is two octets and one UTF-16 unit: text 17 + 30 - 1.
    Case("utf-8", "HTTP/1.1 200 OK\r\nX-N: é\r\nContent-Length: 2\r\n\r\nok", wire: [17, 30, 2, 0]),
    // n 1, S 17: header 23, J 30. Nine of 100 octets came.
    Case("cut", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this", wire: [17, 23, 9, 0]),
  ]

  /// The message of a case as it is read from packets, one for each cut of its octets.
  static func message(_ message: Case, isRequest: Bool, cuts: Set<Int> = []) throws -> WireMessage? {
    var dialogue = Dialogue.opened()
    if !isRequest { dialogue.send(.client, "\(message.method) / HTTP/1.1\r\nHost: a.example\r\n\r\n") }
    var start = 0
    for end in cuts.filter({ 0 < $0 && $0 < message.octets.count }).sorted() + [message.octets.count] {
      dialogue.send(isRequest ? .client : .server, Array(message.octets[start..<end]))
      start = end
    }
    dialogue.close(isRequest ? .client : .server)
    return messages(dialogue.packets()).first { ($0.row.kind == .request) == isRequest }
  }

  /// The messages in packets, by number.
  static func messages(_ packets: [TestPacket]) -> [WireMessage] {
    let sink = WireMessages(Collector())
    var pipeline = Pipeline(decoders: SystemContentDecoders(), observer: sink.observer, sink: sink)
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    return pipeline.sink.consumer.messages.sorted { $0.row.number < $1.row.number }
  }

  private struct Collector: WireMessageConsumer {
    var messages: [WireMessage] = []
    mutating func take(_ message: WireMessage) { messages.append(message) }
  }
}

extension ModelMessages.Case {
  fileprivate init(_ name: String, method: String = "GET", _ text: String, content: [UInt8] = [], wire: [Int]) {
    self.init(name: name, method: method, octets: Array(text.utf8) + content, wire: wire)
  }
}
