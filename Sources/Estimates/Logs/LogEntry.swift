import HTTPReassembly

/// What an app, or a tool at its side, says of one message: one row of its log.
///
/// Lengths are octets as the log's producer means them (see `LogDialect`), nil where the log has none. They can be
/// negative where a producer subtracts what it does not know.
public struct LogEntry: Sendable, Equatable {
  /// The number of the row in the log, from 1: the line of a text file, the row of a table, the index of an entry. People
  /// look it up by this.
  public var row: Int
  /// Request or response; an interim response is `interim`.
  public var kind: MessageKind
  /// Number of the exchange in the log: rows with the same number are one request and what answered it. Nil when the log
  /// does not tell which rows belong together.
  public var exchange: Int?
  /// Method, empty when the log has none.
  public var method = ""
  /// Host as logged, lower-case, with a port if the log has one.
  public var host: String
  /// Path as logged: without query and fragment, encoded or decoded as the producer does.
  public var path: String
  /// The query as logged, without the `?`; empty when the log has the whole target and there is no query in it; nil when the
  /// log does not say.
  public var query: String?
  /// Octets of the query, without the `?`; nil when there is none or the log does not say.
  public var queryLength: Int?
  /// Status code of the response, 0 when unknown.
  public var status = 0
  /// When it happened, as logged: nanoseconds since the Unix epoch; nil when the log has no time.
  public var time: Int64?
  /// When the message ended, as logged, in the clock of `time`; nil when the log does not say.
  public var endTime: Int64?
  /// How long the phases of the exchange took as the app measured them, `connect` without the TLS handshake; on the first row of
  /// the exchange, else nil.
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
  /// Redirects and answers to challenges that the row's exchange has in it, one exchange on the wire each: the header figures are
  /// the sum over all of them, the others are what the dialect says. A request's host and path are those of the first, a
  /// response's those of the last.
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

extension ExchangeTimings {
  /// Whether no phase is known.
  var isEmpty: Bool { self == ExchangeTimings() }
}
