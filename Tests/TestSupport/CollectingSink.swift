import HTTPReassembly

/// A message with its texts.
@dynamicMemberLookup
package struct SeenMessage: Sendable {
  package var message: Message
  package var method: String
  package var host: String
  package var path: String
  package var version: String
  /// Content-Type, Content-Encoding and Transfer-Encoding.
  package var content: [String]

  /// All that is known of it, texts as they are and not as handles.
  package var description: String {
    var row = message
    row.method = .none
    row.host = .none
    row.path = .none
    row.version = .none
    row.contentType = .none
    row.contentEncoding = .none
    row.transferEncoding = .none
    return "\(row) \(method) \(host) \(path) \(version) \(content)"
  }

  package subscript<Value>(dynamicMember member: KeyPath<Message, Value>) -> Value { message[keyPath: member] }
}

/// An exchange with its texts.
@dynamicMemberLookup
package struct SeenExchange: Sendable {
  package var exchange: Exchange
  package var method: String
  package var host: String
  package var path: String

  /// All that is known of it, texts as they are and not as handles.
  package var description: String {
    var row = exchange
    row.method = .none
    row.host = .none
    row.path = .none
    row.version = .none
    return "\(row) \(method) \(host) \(path)"
  }

  package subscript<Value>(dynamicMember member: KeyPath<Exchange, Value>) -> Value { exchange[keyPath: member] }
}

/// Keeps every row.
package struct CollectingSink: ReportSink {
  package var messages: [SeenMessage] = []
  package var exchanges: [SeenExchange] = []
  package var connections: [Connection] = []

  package init() {}

  package mutating func message(_ message: Message, texts: borrowing TextPool) {
    messages.append(
      SeenMessage(
        message: message, method: texts.string(message.method), host: texts.string(message.host),
        path: texts.string(message.path), version: texts.string(message.version),
        content: [message.contentType, message.contentEncoding, message.transferEncoding].map { texts.string($0) }))
  }

  package mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {
    exchanges.append(
      SeenExchange(
        exchange: exchange, method: texts.string(exchange.method), host: texts.string(exchange.host),
        path: texts.string(exchange.path)))
  }

  package mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    connections.append(connection)
  }
}
