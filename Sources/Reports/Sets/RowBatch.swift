import HTTPReassembly
import Tabular

/// Rows on their way from the analysis to reports on another thread, in their order, with their texts.
struct RowBatch: Sendable {
  /// Rows of a batch: enough that waking a thread costs little beside them, few enough to stay in the cache.
  static let capacity = 512

  private enum Kind: UInt8 {
    case message
    case exchange
    case connection
    case detail
  }

  private var kinds: [Kind] = []
  private var messages: [Message] = []
  private var exchanges: [Exchange] = []
  private var connections: [Connection] = []
  private var details: [DetailRow] = []
  private var texts = CopiedTexts()

  /// Whether no more rows should be added.
  private var isFull: Bool { kinds.count >= Self.capacity || texts.isFull }

  /// Adds a message. Returns whether the batch is then full.
  mutating func append(_ message: Message, texts source: borrowing TextPool) -> Bool {
    kinds.append(.message)
    messages.append(message)
    let last = messages.count - 1
    messages[last].changeTexts { texts.copy($0, of: source) }
    messages[last].apiPath = texts.copy(message.apiPath, of: source)
    return isFull
  }

  /// Adds an exchange. Returns whether the batch is then full.
  mutating func append(_ exchange: Exchange, texts source: borrowing TextPool) -> Bool {
    kinds.append(.exchange)
    exchanges.append(exchange)
    let last = exchanges.count - 1
    exchanges[last].changeTexts { texts.copy($0, of: source) }
    exchanges[last].apiPath = texts.copy(exchange.apiPath, of: source)
    return isFull
  }

  /// Adds a connection. Returns whether the batch is then full.
  mutating func append(_ connection: Connection, texts source: borrowing TextPool) -> Bool {
    kinds.append(.connection)
    connections.append(connection)
    connections[connections.count - 1].changeTexts { texts.copy($0, of: source) }
    return isFull
  }

  /// Adds a row of details, which has no texts. Returns whether the batch is then full.
  mutating func append(_ detail: DetailRow) -> Bool {
    kinds.append(.detail)
    details.append(detail)
    return isFull
  }

  /// Passes every row on, even after an error, and removes it. Returns the first error.
  mutating func drain(into reports: inout ReportSet) -> ReportError? {
    var failure: ReportError?
    var next = (message: 0, exchange: 0, connection: 0, detail: 0)
    for kind in kinds {
      do throws(ReportError) {
        switch kind {
        case .message:
          next.message += 1
          try reports.message(messages[next.message - 1], texts: texts.texts)
        case .exchange:
          next.exchange += 1
          try reports.exchange(exchanges[next.exchange - 1], texts: texts.texts)
        case .connection:
          next.connection += 1
          try reports.connection(connections[next.connection - 1], texts: texts.texts)
        case .detail:
          next.detail += 1
          try reports.detail(details[next.detail - 1], texts: texts.texts)
        }
      } catch {
        failure = failure ?? error
      }
    }
    // Most texts repeat in the next rows, so they are not removed one by one.
    texts.forgetMany()
    kinds.removeAll(keepingCapacity: true)
    messages.removeAll(keepingCapacity: true)
    exchanges.removeAll(keepingCapacity: true)
    connections.removeAll(keepingCapacity: true)
    details.removeAll(keepingCapacity: true)
    return failure
  }
}
