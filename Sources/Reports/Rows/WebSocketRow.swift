import HTTPReassembly
import Tabular

/// `websockets`: one row for each WebSocket and direction, by the number of the message that opened it. Lengths are octets, times nanoseconds
/// since the Unix epoch.
enum WebSocketRow {
  /// The columns.
  static let columns = ColumnList.of { write(WebSocketFacts(), of: Message(), texts: TextPool(), to: &$0) }

  /// Writes the row of a message's WebSocket.
  static func write<Row: RowWriter & ~Copyable>(
    _ frames: WebSocketFacts, of message: Message, texts: borrowing TextPool, to row: inout Row
  ) {
    row.begin()
    row[.integer("message")].integer(message.number)
    row[.integer("exchange").orUnknown].integerUnlessZero(message.exchange)
    row[.integer("connection").orUnknown].integerUnlessZero(message.connection)
    row[.text("direction")].name(message.kind == .request ? "request" : "response" as StaticString)
    row[.text("host").orUnknown].host(message.host, texts)
    row[.text("path").orUnknown].path(message.path, texts)
    row[.text("api_path").orUnknown].path(message.apiPath, texts)
    let times = frames.firstTime == 0 ? nil : (frames.firstTime, frames.lastTime)
    row[.time("first_time").orUnknown].integer(times.map { Int($0.0) })
    row[.time("last_time").orUnknown].integer(times.map { Int($0.1) })
    row[.integers("frames", "messages", "text", "binary", "pings", "pongs")]
      .integers([frames.frames, frames.messages, frames.texts, frames.binaries, frames.pings, frames.pongs])
    row[.integers("frame_bytes", "keepalive_bytes", "payload_bytes")]
      .integers([frames.frameLength, frames.keepaliveLength, frames.payloadLength])
    row[.integer("decoded_bytes").orUnknown].integer(frames.decodedLength)
    row[.integers("tunnel_bytes", "missing_bytes")].integers([message.tunnel, message.missing])
    row[.integer("close_code").orUnknown].integer(frames.closeCode)
    row[.text("exactness")].name(frames.exactness.literal)
    row.end()
  }
}
