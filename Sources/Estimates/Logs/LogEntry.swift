import HTTPReassembly

/// One row of a log: the statement of an app, or of a tool at its side, about one message.
///
/// Lengths are octets as the log's producer means them (see `LogDialect`), nil where the log has none. They can be negative where
/// a producer subtracts an unknown figure.
public struct LogEntry: Sendable, Equatable {
  /// The number of the row in the log, from 1, by which people look it up. It is the line of a text file, the row of a table, or
  /// the index of an entry.
  public var row: Int
  /// Request or response; an interim response is `interim`.
  public var kind: MessageKind
  /// The number of the exchange in the log. Rows with the same number are one request and its answers. Nil when the log does not
  /// tell which rows belong together.
  public var exchange: Int?
  /// Method, empty when the log has none.
  public var method = ""
  /// Host as logged, lower-case, with a port if the log has one.
  public var host: String
  /// Path as logged: without query and fragment. Whether it is percent-encoded depends on the producer.
  public var path: String
  /// The query as logged, without the `?`. It is empty when the log has the whole target without a query, and nil when the log
  /// does not say.
  public var query: String?
  /// Octets of the query, without the `?`; nil when there is none or the log does not say.
  public var queryLength: Int?
  /// Status code of the response, 0 when unknown.
  public var status = 0
  /// The logged time of the message, in nanoseconds since the Unix epoch; nil when the log has no time.
  public var time: Int64?
  /// The logged end of the message, by the clock of `time`; nil when the log does not say.
  public var endTime: Int64?
  /// The durations of the exchange's phases as the app measured them; `connect` is without the TLS handshake. Nil except on the
  /// first row of the exchange.
  public var phases: ExchangeTimings?
  /// The whole message.
  public var length: Int?
  /// The start-line.
  public var lineLength: Int?
  /// The header section.
  public var headerLength: Int?
  /// The body, as it was transferred.
  public var bodyLength: Int?
  /// The body after decoding.
  public var decodedLength: Int?
  /// Whether the log says that the transfer failed or was cancelled.
  public var isAborted = false
  /// Whether the log says that the response came from a cache, so that nothing is on the wire.
  public var isFromCache = false
  /// Whether the log says that the exchange was under way when the log ended.
  public var isPending = false
  /// The number of redirects and answers to challenges in the row's exchange, each one exchange on the wire. The header figures
  /// are the sum over all of them; the dialect defines the others. A request has the first host and path, a response the last.
  public var redirectCount = 0

  /// An entry with no figures.
  public init(row: Int, kind: MessageKind, host: String, path: String, time: Int64?) {
    self.row = row
    self.kind = kind
    self.host = host
    self.path = path
    self.time = time
  }
}

extension LogEntry {
  /// The memory of its comparison with the wire, in octets: places in the search for its message, and its row in the report. Measured.
  private static let comparisonMemory = 2_048

  /// Octets of memory that it and its comparison take; texts of up to 15 octets have no memory of their own.
  var memory: Int {
    let texts = [method, host, path, query ?? ""].reduce(0) { $0 + ($1.utf8.count > 15 ? $1.utf8.count + 32 : 0) }
    return MemoryLayout<LogEntry>.stride + Self.comparisonMemory + texts
  }
}

extension ExchangeTimings {
  /// Whether no phase is known.
  var isEmpty: Bool { self == ExchangeTimings() }
}
