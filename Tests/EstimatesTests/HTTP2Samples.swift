import Estimates
import HTTPReassembly
import TestSupport

/// Messages on HTTP/2: crumbs of a cookie, an upload without length, a redirection, repeated fields, and trailer fields.
enum HTTP2Samples {
  static let messages: [WireMessage] = {
    var (client, server) = (HTTP2Writer(), HTTP2Writer())
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP2Writer.preface + HTTP2Writer.settings())
    dialogue.send(.server, HTTP2Writer.settings() + HTTP2Writer.settingsAcknowledgment)
    for stream in [UInt32(1), 3] {
      let asked = HTTP2Writer.request("/a%20b/?q=1", [("cookie", "s=1"), ("cookie", "t=2"), ("te", "trailers")])
      dialogue.send(.client, HTTP2Writer.headers(stream, client.block(asked), ends: true))
      let answered = HTTP2Writer.response(
        200, [("content-length", "2"), ("set-cookie", "a=1"), ("set-cookie", "b=2"), ("content-type", "text/plain")])
      dialogue.send(
        .server,
        HTTP2Writer.headers(stream, server.block(answered)) + HTTP2Writer.data(stream, [0x6f, 0x6b], ends: true))
    }
    let asked = client.block(HTTP2Writer.request("/up", method: "POST"))
    dialogue.send(
      .client, HTTP2Writer.headers(5, asked) + HTTP2Writer.data(5, Array("hello".utf8), ends: true, padding: 3))
    let moved = server.block(HTTP2Writer.response(302, [("location", "/there")]))
    let trailers = server.block([("sum", "6")])
    dialogue.send(
      .server,
      HTTP2Writer.headers(5, moved) + HTTP2Writer.data(5, Array("gone".utf8))
        + HTTP2Writer.headers(5, trailers, ends: true))
    dialogue.close(.server)
    return WireSamples.messages(dialogue.packets())
  }()

  static func request(_ number: Int) -> WireMessage { messages.filter { $0.row.kind == .request }[number] }
  static func response(_ number: Int) -> WireMessage { messages.filter { $0.row.kind == .response }[number] }
}
