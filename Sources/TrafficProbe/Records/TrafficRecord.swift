/// One message of the log: a request or a response, never both.
///
/// All lengths are octets. `length` = `lineLength` + `headerLength` + `bodyLength` + the framing, where that is known.
public struct TrafficRecord: Sendable, Equatable {
  /// Which of the two messages of an exchange a record is of.
  public enum Kind: String, Sendable {
    /// From the client.
    case request
    /// From the server.
    case response
  }

  /// Where the figures come from.
  public enum Source: String, Sendable {
    /// The estimates of this library.
    case estimate
    /// The system's task metrics, on Apple platforms.
    case metrics
    /// The message never was on the wire: it came from a cache.
    case cache
  }

  /// The authority: the Host field's value, lower case, with the port unless it is the scheme's own.
  public var host: String
  /// The path as sent, percent-encoded, without the query.
  public var path: String
  /// Request or response.
  public var kind: Kind
  /// Seconds since 1970 UTC: when the sending of a request was started; when the header section of a response was there.
  public var occurTime: Double
  /// Octets of the start-line, CRLF included.
  public var lineLength = 0
  /// Octets of the header section, empty line included.
  public var headerLength = 0
  /// Octets of the content, content coding on, chunk framing off.
  public var bodyLength = 0
  /// Octets of chunk framing; nil where an app cannot know them.
  public var framingLength: Int?
  /// The request's method.
  public var method: String
  /// The status code; nil for a request.
  public var status: Int?
  /// Octets of the query without its question mark; nil without a query. Its text is not kept.
  public var queryLength: Int?
  /// 0 for the first request of a task, 1 for that after its first redirect, and so on.
  public var hop = 0
  /// A number that the request and the response of an exchange share, unique in one run of the app.
  public var exchange: Int
  /// Where the figures come from.
  public var source = Source.estimate
  /// What could not be known, as words separated by spaces: `framing`, `coding`,
  /// `content`, `cut`, `redirects`.
  public var unknown = ""
  /// Domain and code of the error that the exchange ended with, for example `NSURLErrorDomain -1004`; empty without.
  public var error = ""

  /// The media type of a response's content, lower case, without parameters; empty without, and for a request.
  public var contentType = ""
  /// Seconds since 1970 UTC: when the last octet of the message was given or came, or its error; nil where that is not known.
  public var endTime: Double?
  /// Milliseconds from the start of the request to the end of the exchange, on the record of the request; nil on others, and
  /// while it is pending.
  public var duration: Double?
  /// How long the parts of the exchange took, on the record of the request.
  public var phases = Phases()
  /// Whether the exchange had not ended when this was written. The octets are those of a request that is sent whole.
  public var isPending = false

  /// How long the parts of an exchange took, in milliseconds, where the system says it (Apple platforms); nil where a part did
  /// not happen or is not known.
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

  /// Notes that a message came from a cache: no octets.
  mutating func neverWasOnTheWire() {
    source = .cache
    lineLength = 0
    headerLength = 0
    bodyLength = 0
    framingLength = 0
  }
}
