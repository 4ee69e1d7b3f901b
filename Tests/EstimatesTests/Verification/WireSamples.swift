import ContentCodings
import Estimates
import HTTPReassembly
import TestSupport

/// Messages of every shape, as the pipeline finds them.
enum WireSamples {
  private struct Collector: WireMessageConsumer {
    var messages: [WireMessage] = []
    mutating func take(_ message: WireMessage) { messages.append(message) }
  }

  /// The messages of packets, by number.
  static func messages(_ packets: [TestPacket]) -> [WireMessage] {
    let sink = WireMessages(Collector())
    let observer = sink.observer
    var pipeline = Pipeline(decoders: SystemContentDecoders(), observer: observer, sink: sink)
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    return pipeline.sink.consumer.messages.sorted { $0.row.number < $1.row.number }
  }

  /// The messages of one connection on which client and server speak in turns, 20 ms from one to the next.
  static func messages(_ turns: [(request: String, response: String)]) -> [WireMessage] {
    var dialogue = Dialogue.opened()
    for turn in turns {
      dialogue.wait(20_000_000)
      if !turn.request.isEmpty { dialogue.send(.client, turn.request) }
      if !turn.response.isEmpty { dialogue.send(.server, turn.response) }
    }
    dialogue.close(.server)
    return messages(dialogue.packets())
  }

  /// Queries, percent-encoding, cookies, repeated and folded fields, bare line feeds, chunks with trailers, interim
  /// responses, redirects, HEAD, 304, an unusual reason phrase, and a response that stops in the middle.
  static let everything: [WireMessage] = messages(turns)

  /// The same six times, on one connection.
  static let repeated: [WireMessage] = messages(
    (0..<6).flatMap { $0 == 5 ? turns[...] : turns.dropLast() })

  private static let turns: [(request: String, response: String)] = [
    (
      "GET /a%20b/?q=%41&r=2 HTTP/1.1\r\nHost: a.example\r\nUser-Agent: x/1\r\nAccept: */*\r\nCookie: s=1; t=2\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok"
    ),
    (
      "POST /up HTTP/1.1\r\nHost: a.example\r\nX-Path: /a/\"b\"\\\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5\r\nhello\r\n0\r\nDigest: x\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made It\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nSum: 6\r\n\r\n"
    ),
    (
      "GET / HTTP/1.1\nHost:a.example\nX-Long: one\n  two\n\n",
      "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
    ),
    ("HEAD /there HTTP/1.1\r\nHost: a.example:8080\r\n\r\n", "HTTP/1.1 200\r\nContent-Length: 99\r\n\r\n"),
    ("GET /there HTTP/1.1\r\nHost: a.example\r\nNo colon\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n"),
    ("GET /cut HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nonly this"),
  ]
}
