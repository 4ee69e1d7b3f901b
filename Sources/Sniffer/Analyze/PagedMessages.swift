import Estimates
import HTTPReassembly
import Reports

/// Passes whole messages to a consumer and, if wanted, to the page of the same analysis.
struct PagedMessages<Consumer: WireMessageConsumer>: ReportSink {
  typealias Failure = Consumer.Failure

  var messages: WireMessages<Consumer>
  /// It writes nothing before it is finished, so its rows cannot fail.
  let page: HTMLReport?

  /// Passes messages to `consumer`.
  init(_ consumer: Consumer, page: HTMLReport?) {
    messages = WireMessages(consumer)
    self.page = page
  }

  /// Gathers the facts that messages show; the pipeline calls it.
  var observer: (any MessageObserver)? { messages.observer }

  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Failure) {
    page?.message(message, texts: texts)
    try messages.message(message, texts: texts)
  }

  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {
    page?.exchange(exchange, texts: texts)
    messages.exchange(exchange, texts: texts)
  }

  mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    page?.connection(connection, texts: texts)
    messages.connection(connection, texts: texts)
  }
}
