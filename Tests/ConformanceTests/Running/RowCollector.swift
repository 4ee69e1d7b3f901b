import HTTPReassembly

/// Keeps all rows.
struct RowCollector: ReportSink {
  /// The messages, in the order in which they became final.
  var messages: [FoundMessage] = []
  /// The exchanges, in that order.
  var exchanges: [Exchange] = []
  /// The connections, in that order.
  var connections: [Connection] = []

  mutating func message(_ message: Message, texts: borrowing TextPool) {
    messages.append(
      FoundMessage(
        message: message, method: texts.printable(message.method), host: texts.printable(message.host),
        path: texts.printable(message.path)))
  }

  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {
    exchanges.append(exchange)
  }

  mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    connections.append(connection)
  }
}

extension TextPool {
  /// A text as the oracle writes it: what is not printable ASCII as `\xNN`.
  borrowing func printable(_ id: TextID) -> String {
    var text = ""
    for octet in octets(id) {
      if (0x20..<0x7f).contains(octet) {
        text.unicodeScalars.append(Unicode.Scalar(octet))
      } else {
        text += "\\x" + String(octet >> 4, radix: 16) + String(octet & 0xf, radix: 16)
      }
    }
    return text
  }
}
