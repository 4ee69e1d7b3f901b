/// One message of the log: a request or a response, never both.
///
/// All lengths are octets. `length` = `lineLength` + `headerLength` + `bodyLength` + the framing, where that is known.
public struct TrafficRecord: Sendable, Equatable {
  /// The message of an exchange that a record is about.
  public enum Kind: String, Sendable {
    /// From the client.
    case request
    /// From the server.
    case response
  }

  /// The source of the figures.
  public enum Source: String, Sendable {
    /// The estimates of this library.
    case estimate
    /// The system's task metrics, on Apple platforms.
    case metrics
    /// The message came from a cache and was never on the wire.
    case cache
  }

  /// The authority: the Host field's value, lower case, with the port unless it is the scheme's own.
  public var host: String
  /// The path as sent, percent-encoded, without the query.
  public var path: String
  /// Request or response.
  public var kind: Kind
  /// Seconds since 1970 UTC: the start of sending a request, or the end of a response's header section.
  public var occurTime: Double
  /// Octets of the start-line, CRLF included.
  public var lineLength = 0
  /// Octets of the header section, empty line included.
  public var headerLength = 0
  /// Octets of the content, with content coding, without chunk framing.
  public var bodyLength = 0
  /// Octets of chunk framing; nil where an app cannot know them.
  public var framingLength: Int?
  /// The request's method.
  public var method: String
  /// The status code; nil for a request.
  public var status: Int?
  /// Octets of the query without its question mark; nil without a query. Its text is not kept.
  public var queryLength: Int?
  /// 0 for the first request of a task, 1 after its first redirect, and so on.
  public var hop = 0
  /// A number that the request and the response of an exchange share, unique in one run of the app.
  public var exchange: Int
  /// The source of the figures.
  public var source = Source.estimate
  /// Unknown facts, as words separated by spaces: `framing`, `coding`, `content`, `cut`, `redirects`.
  public var unknown = ""
  /// Domain and code of the error that ended the exchange, for example `NSURLErrorDomain -1004`; empty without an error.
  public var error = ""

  /// The media type of a response's content, lower case, without parameters; empty without one, and for a request.
  public var contentType = ""
  /// Seconds since 1970 UTC: the time of the message's last octet, or of its error; nil if unknown.
  public var endTime: Double?
  /// Milliseconds from the start of the request to the end of the exchange, on the request's record. Nil on others, and while it
  /// is pending.
  public var duration: Double?
  /// The durations of the exchange's phases, on the request's record.
  public var phases = Phases()
  /// Octets of line and header as HTTP/2 would carry them, with its field compression: an estimate. Nil over `http`, where the system
  /// says that the exchange went over HTTP/1, and while it is pending.
  public var compressedLength: Int?
  /// Whether the exchange had not ended when the record was written. The octets count a request that is sent whole.
  public var isPending = false

  /// Durations of an exchange's phases, in milliseconds, where the system gives them (Apple platforms). Nil where a phase did not
  /// happen or is unknown.
  public struct Phases: Sendable, Equatable {
    /// Name resolution.
    public var dns: Double?
    /// The TCP handshake.
    public var connect: Double?
    /// The TLS handshake.
    public var tls: Double?
    /// From the first octet of the request to its last.
    public var send: Double?
    /// From the last octet of the request to the first of the response.
    public var wait: Double?
    /// From the first octet of the response to its last.
    public var receive: Double?
  }

  /// Octets of the whole message, so far as they can be known.
  public var length: Int { lineLength + headerLength + bodyLength + (framingLength ?? 0) }

  /// Marks a message from a cache: it has no octets.
  mutating func neverWasOnTheWire() {
    source = .cache
    lineLength = 0
    headerLength = 0
    bodyLength = 0
    framingLength = 0
    if compressedLength != nil { compressedLength = 0 }
  }
}
