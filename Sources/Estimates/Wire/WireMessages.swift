import HTTPReassembly

/// Receives whole messages, in the order in which they become final.
public protocol WireMessageConsumer {
  /// The error that a consumer may throw.
  associatedtype Failure: Error
  /// Takes a final message.
  mutating func take(_ message: WireMessage) throws(Failure)
  /// Takes a final exchange.
  mutating func take(_ exchange: Exchange)
}

extension WireMessageConsumer {
  /// A consumer of messages alone ignores exchanges.
  public mutating func take(_ exchange: Exchange) {}
}

/// A report sink that joins each message's row with the facts that the message showed.
///
/// Give `observer` to the same `Pipeline`. Connections are not passed on.
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

  /// Ignores connections.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) {}
}
