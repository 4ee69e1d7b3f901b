import Estimates
import HTTPReassembly
import Reports

/// Whole messages for a consumer and, if it is wanted, the page of the same analysis.
struct PagedMessages<Consumer: WireMessageConsumer>: ReportSink {
  typealias Failure = Consumer.Failure

  var messages: WireMessages<Consumer>
  /// Writes nothing before it is finished, so that its rows cannot fail.
  let page: HTMLReport?

  /// Messages for `consumer`.
  init(_ consumer: Consumer, page: HTMLReport?) {
    messages = WireMessages(consumer)
    self.page = page
  }

  /// What the pipeline tells what messages say.
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
  }
}
