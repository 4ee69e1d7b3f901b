/// A request with its final response; either can be missing. Times are capture times.
public struct Exchange: Sendable, Equatable {
  /// Number in the order of the first octets' delivery, from 1.
  public var number = 0
  /// Number of its connection, from 1.
  public var connection = 0
  /// Number of the request's message; nil if the request was not captured.
  public var request: Int?
  /// Number of the final response's message; nil without one.
  public var response: Int?
  /// The request's method.
  public var method = TextID.none
  /// The request's host.
  public var host = TextID.none
  /// The request's path.
  public var path = TextID.none
  /// Protocol version as in the request; if it is unknown, as in the response.
  public var version = TextID.none
  /// The stream of the exchange (RFC 9113 §5.1.1, RFC 9114 §6), below 2⁶²; nil for HTTP/1. After `Upgrade: h2c` it is the response's.
  public var stream: UInt64? {
    get { streamCode == 0 ? nil : streamCode - 1 }
    set { streamCode = newValue.map { $0 &+ 1 } ?? 0 }
  }
  /// 0 without a stream, else its number and 1.
  var streamCode: UInt64 = 0
  /// Status code of the final response; 0 without one.
  public var status = 0
  /// Capture time of the exchange's first octet, in nanoseconds since the Unix epoch.
  public var started: Int64 = 0
  /// How certain the pairing of request and response is; `unknown` if one of them was not captured.
  public var pairing = Pairing.exact
  /// Phases in nanoseconds; nil for a phase that did not happen (MEASURES §4).
  public var timings = ExchangeTimings()
  /// `message_bytes` of the request.
  public var requestLength = 0
  /// `message_bytes` of the final response and of the interim responses before it.
  public var responseLength = 0
  /// The process of the exchange (`TextPool.process`); `TextID.none` if unknown.
  public var process = TextID.none
  /// The path of the API that counts it. Known once the exchange is final.
  public var apiPath = TextID.none
  /// `tunnel_bytes` of all its messages.
  public var tunnelLength = 0
  /// The number of events that the final response brought; nil if it is no event stream, or octets of it are unknown.
  public var events: Int?
  /// `ip_bytes` of all its messages.
  public var ipLength = 0

  /// Creates an empty exchange.
  public init() {}
}

/// Durations of an exchange's phases at the point of capture, in nanoseconds. Nil means that the phase did not happen.
public struct ExchangeTimings: Sendable, Equatable {
  /// From the DNS query to its response.
  public var dns: Int64?
  /// From the SYN to the last ACK of the handshake.
  public var connect: Int64?
  /// From the ClientHello to the first application data.
  public var tls: Int64?
  /// From the first to the last octet of the request.
  public var send: Int64?
  /// From the last octet of the request to the first octet of the final response; 0 if the response came first.
  public var wait: Int64?
  /// From the first to the last octet of the final response.
  public var receive: Int64?

  /// Creates timings without phases.
  public init() {}
}
