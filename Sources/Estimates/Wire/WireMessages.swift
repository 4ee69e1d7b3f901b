import HTTPReassembly

/// Receives whole messages, in the order in which they become final.
public protocol WireMessageConsumer {
  /// The error that a consumer may throw.
  associatedtype Failure: Error
  /// Takes a final message.
  mutating func take(_ message: WireMessage) throws(Failure)
  /// Takes a final exchange.
  mutating func take(_ exchange: Exchange)
  /// Takes the name of the server of a connection of TLS that was not opened; empty when it is unknown.
  mutating func take(closed server: String)
}

extension WireMessageConsumer {
  /// A consumer of messages alone ignores exchanges.
  public mutating func take(_ exchange: Exchange) {}
  /// A consumer of messages alone ignores connections.
  public mutating func take(closed server: String) {}
}

/// A report sink that joins each message's row with the facts that the message showed.
///
/// Give `observer` to the same `Pipeline`. Of connections, those that were not opened are passed on.
public struct WireMessages<Consumer: WireMessageConsumer>: ReportSink {
  /// The error that the consumer throws.
  public typealias Failure = Consumer.Failure

  /// Receives the messages.
  public var consumer: Consumer
  private let gathered = WireMessageObserver()

  /// Passes messages to `consumer`.
  public init(_ consumer: Consumer) { self.consumer = consumer }

  /// Gathers the facts that messages show; the pipeline calls it.
  public var observer: any MessageObserver { gathered }

  /// Passes a message on.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(Consumer.Failure) {
    var whole = gathered.take(message)
    whole.method = texts.string(message.method)
    whole.host = texts.string(message.host)
    whole.path = texts.string(message.path)
    whole.version = texts.string(message.version)
    if whole.isEncoded { whole.joinCookies() }
    whole.hostOctets = texts.octets(message.host)
    whole.pathOctets = texts.octets(message.path)
    try consumer.take(whole)
  }

  /// Passes an exchange on.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) { consumer.take(exchange) }

  /// Passes on that a connection was not opened.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    guard let security = connection.security, security.opening == .no || security.opening == .partly else { return }
    consumer.take(closed: texts.string(security.serverName))
  }
}
