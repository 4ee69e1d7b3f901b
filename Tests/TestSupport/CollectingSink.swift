import HTTPReassembly

/// A message with its texts.
@dynamicMemberLookup
package struct SeenMessage: Sendable, Equatable {
  package var message: Message
  package var method: String
  package var host: String
  package var path: String
  package var version: String
  /// Content-Type, Content-Encoding and Transfer-Encoding.
  package var content: [String]
  /// Its process; nil when it is not known.
  package var process: ProcessIdentity?
  /// The path of its API.
  package var apiPath: String
  /// The frames of its tunnel; nil when it is no WebSocket.
  package var frames: WebSocketFacts?

  /// It without handles of texts, which mean something only in their own pipeline.
  package var withoutHandles: SeenMessage {
    var seen = self
    seen.message.method = .none
    seen.message.host = .none
    seen.message.path = .none
    seen.message.version = .none
    seen.message.contentType = .none
    seen.message.contentEncoding = .none
    seen.message.transferEncoding = .none
    seen.message.process = .none
    seen.message.webSocket = .none
    seen.message.apiPath = .none
    return seen
  }

  package subscript<Value>(dynamicMember member: KeyPath<Message, Value>) -> Value { message[keyPath: member] }
}

/// An exchange with its texts.
@dynamicMemberLookup
package struct SeenExchange: Sendable, Equatable {
  package var exchange: Exchange
  package var method: String
  package var host: String
  package var path: String
  /// Its process; nil when it is not known.
  package var process: ProcessIdentity?
  /// The path of its API.
  package var apiPath: String

  /// It without handles of texts, which mean something only in their own pipeline.
  package var withoutHandles: SeenExchange {
    var seen = self
    seen.exchange.method = .none
    seen.exchange.host = .none
    seen.exchange.path = .none
    seen.exchange.version = .none
    seen.exchange.process = .none
    seen.exchange.apiPath = .none
    return seen
  }

  package subscript<Value>(dynamicMember member: KeyPath<Exchange, Value>) -> Value { exchange[keyPath: member] }
}

/// Keeps every row.
package struct CollectingSink: ReportSink {
  package var messages: [SeenMessage] = []
  package var exchanges: [SeenExchange] = []
  package var connections: [Connection] = []
  package var details: [DetailRow] = []
  /// The process of each connection; nil when it is not known.
  package var processes: [ProcessIdentity?] = []
  /// The prefix of each connection, by its number.
  package var prefixes: [Int: ConnectionPrefix] = [:]

  package init() {}

  package mutating func message(_ message: Message, texts: borrowing TextPool) {
    messages.append(
      SeenMessage(
        message: message, method: texts.string(message.method), host: texts.string(message.host),
        path: texts.string(message.path), version: texts.string(message.version),
        content: [message.contentType, message.contentEncoding, message.transferEncoding].map { texts.string($0) },
        process: texts.process(message.process), apiPath: texts.string(message.apiPath),
        frames: texts.webSocket(message.webSocket)))
  }

  package mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {
    exchanges.append(
      SeenExchange(
        exchange: exchange, method: texts.string(exchange.method), host: texts.string(exchange.host),
        path: texts.string(exchange.path), process: texts.process(exchange.process),
        apiPath: texts.string(exchange.apiPath)))
  }

  package mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    var row = connection
    // A handle means nothing later.
    row.process = .none
    row.prefix = .none
    connections.append(row)
    prefixes[connection.number] = texts.prefix(connection.prefix)
    processes.append(texts.process(connection.process))
  }

  package mutating func detail(_ row: DetailRow, texts: borrowing TextPool) { details.append(row) }
}
