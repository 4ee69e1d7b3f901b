import HTTPReassembly
import Tabular

/// Rows on their way from the analysis to reports on another thread, in their order, with the texts that they refer to.
struct RowBatch: Sendable {
  /// Rows of a batch: enough that waking a thread for it costs nothing beside them, few enough to stay in the cache.
  static let capacity = 1024

  private enum Kind: UInt8 {
    case message
    case exchange
    case connection
  }

  private var kinds: [Kind] = []
  private var messages: [Message] = []
  private var exchanges: [Exchange] = []
  private var connections: [Connection] = []
  private var texts = CopiedTexts()

  /// Whether no more rows should be added.
  private var isFull: Bool { kinds.count >= Self.capacity || texts.isFull }

  /// Adds a message. Returns whether that fills the batch.
  mutating func append(_ message: Message, texts source: borrowing TextPool) -> Bool {
    kinds.append(.message)
    messages.append(message)
    let last = messages.count - 1
    messages[last].method = texts.copy(message.method, of: source)
    messages[last].host = texts.copy(message.host, of: source)
    messages[last].path = texts.copy(message.path, of: source)
    messages[last].version = texts.copy(message.version, of: source)
    messages[last].contentType = texts.copy(message.contentType, of: source)
    messages[last].contentEncoding = texts.copy(message.contentEncoding, of: source)
    messages[last].transferEncoding = texts.copy(message.transferEncoding, of: source)
    messages[last].process = texts.copy(message.process, of: source)
    messages[last].apiPath = texts.copy(message.apiPath, of: source)
    return isFull
  }

  /// Adds an exchange. Returns whether that fills the batch.
  mutating func append(_ exchange: Exchange, texts source: borrowing TextPool) -> Bool {
    kinds.append(.exchange)
    exchanges.append(exchange)
    let last = exchanges.count - 1
    exchanges[last].method = texts.copy(exchange.method, of: source)
    exchanges[last].host = texts.copy(exchange.host, of: source)
    exchanges[last].path = texts.copy(exchange.path, of: source)
    exchanges[last].version = texts.copy(exchange.version, of: source)
    exchanges[last].process = texts.copy(exchange.process, of: source)
    exchanges[last].apiPath = texts.copy(exchange.apiPath, of: source)
    return isFull
  }

  /// Adds a connection. Returns whether that fills the batch.
  mutating func append(_ connection: Connection, texts source: borrowing TextPool) -> Bool {
    kinds.append(.connection)
    connections.append(connection)
    let last = connections.count - 1
    connections[last].process = texts.copy(connection.process, of: source)
    guard let security = connection.security else { return isFull }
    connections[last].security?.serverName = texts.copy(security.serverName, of: source)
    connections[last].security?.applicationProtocol = texts.copy(security.applicationProtocol, of: source)
    return isFull
  }

  /// Passes every row on, also after an error, and removes it. Returns the first error.
  mutating func drain(into reports: inout ReportSet) -> ReportError? {
    var failure: ReportError?
    var next = (message: 0, exchange: 0, connection: 0)
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
        }
      } catch {
        failure = failure ?? error
      }
    }
    // Most texts come again in the next rows, so that nothing is let go of one by one.
    texts.forgetMany()
    kinds.removeAll(keepingCapacity: true)
    messages.removeAll(keepingCapacity: true)
    exchanges.removeAll(keepingCapacity: true)
    connections.removeAll(keepingCapacity: true)
    return failure
  }
}

/// Texts of one pool copied to another, which belongs to another thread.
///
/// Most texts come again and again: where the copy of one is, is known by the number of the original.
struct CopiedTexts: Sendable {
  /// Octets of texts that are kept for what comes.
  private static let limit = 256 << 10
  private static let knownCount = 1024

  /// The copies.
  private(set) var texts = TextPool()
  private var known = Self.nothing

  private static var nothing: [(serial: Int, copy: TextID)] { Array(repeating: (0, .none), count: knownCount) }

  /// Whether there are more texts than should be copied at a time.
  var isFull: Bool { texts.memory > 4 * Self.limit }

  /// The copy of a text of `source`, which must be the same pool each time.
  @inline(__always)
  mutating func copy(_ id: TextID, of source: borrowing TextPool) -> TextID {
    guard id != .none else { return .none }
    let serial = source.serial(id)
    let slot = serial & (Self.knownCount - 1)
    if known[slot].serial == serial { return known[slot].copy }
    let copy = texts.intern(id, of: source)
    known[slot] = (serial, copy)
    return copy
  }

  /// Forgets the copies, if there are many: nobody needs them any more.
  mutating func forgetMany() {
    guard texts.memory > Self.limit else { return }
    texts = TextPool()
    known = Self.nothing
  }
}
