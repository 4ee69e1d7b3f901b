import HTTPReassembly

/// Receives whole messages, in the order in which they become final.
public protocol WireMessageConsumer {
  /// What a consumer may throw.
  associatedtype Failure: Error
  /// A message is final.
  mutating func take(_ message: WireMessage) throws(Failure)
  /// An exchange is final.
  mutating func take(_ exchange: Exchange)
}

extension WireMessageConsumer {
  /// A consumer of messages alone.
  public mutating func take(_ exchange: Exchange) {}
}

/// A report sink that puts each message's row together with what the message said.
///
/// Give `observer` to the same `Pipeline`. Connections are not passed on.
public struct WireMessages<Consumer: WireMessageConsumer>: ReportSink {
  /// What the consumer throws.
  public typealias Failure = Consumer.Failure

  /// Receives the messages.
  public var consumer: Consumer
  private let gathered = WireMessageObserver()

  /// Messages for `consumer`.
  public init(_ consumer: Consumer) { self.consumer = consumer }

  /// What the pipeline tells what messages say.
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

  /// Nothing to pass on.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) {}
}
