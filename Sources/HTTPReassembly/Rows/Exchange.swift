/// A request with its final response; either can be missing. Times are capture times.
public struct Exchange: Sendable {
  /// Number in the order of the first octets' delivery, from 1.
  public var number = 0
  /// Number of its connection, from 1.
  public var connection = 0
  /// Number of the request's message; nil when the request was not captured.
  public var request: Int?
  /// Number of the final response's message; nil when there was none.
  public var response: Int?
  /// The request's method.
  public var method = TextID.none
  /// The request's host.
  public var host = TextID.none
  /// The request's path.
  public var path = TextID.none
  /// Protocol version as sent with the request, else with the response.
  public var version = TextID.none
  /// The stream that it is (RFC 9113 §5.1.1), 0 for HTTP/1; after `Upgrade: h2c` that of the response.
  public var stream: UInt32 = 0
  /// Status code of the final response, 0 when there was none.
  public var status = 0
  /// Capture time of the exchange's first octet, in nanoseconds since the Unix epoch.
  public var started: Int64 = 0
  /// How sure it is that the response answers the request; `unknown` when one of them was not captured.
  public var pairing = Pairing.exact
  /// Phases in nanoseconds; nil when a phase did not happen for this exchange (MEASURES §4).
  public var timings = ExchangeTimings()
  /// `message_bytes` of the request.
  public var requestLength = 0
  /// `message_bytes` of the final response and of the interim ones before it.
  public var responseLength = 0
  /// The process that it belongs to (`TextPool.process`); `TextID.none` when that is not known.
  public var process = TextID.none
  /// The path of the API that its totals are counted under. Known when the exchange is final.
  public var apiPath = TextID.none
  /// `ip_bytes` of all its messages.
  public var ipLength = 0

  /// An empty exchange.
  public init() {}
}

/// How long the phases of an exchange took at the point of capture, in nanoseconds. Nil: it did not happen.
public struct ExchangeTimings: Sendable, Equatable {
  /// DNS query to its answer.
  public var dns: Int64?
  /// SYN to the handshake's last ACK.
  public var connect: Int64?
  /// ClientHello to the first application data.
  public var tls: Int64?
  /// First to last octet of the request.
  public var send: Int64?
  /// Last octet of the request to first octet of the final response; 0 when the response came first.
  public var wait: Int64?
  /// First to last octet of the final response.
  public var receive: Int64?

  /// No phase.
  public init() {}
}
