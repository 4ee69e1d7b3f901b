/// The totals of one API: a host and path, and a method if totals are grouped by it. All lengths are octets.
public struct APITotals: Sendable {
  /// The host; `TextID.none` for responses whose request was not captured.
  public var host = TextID.none
  /// The path.
  public var path = TextID.none
  /// The method, if totals are grouped by it.
  public var method = TextID.none
  /// The name of the process, if totals are grouped by it; `TextID.none` if unknown.
  public var process = TextID.none
  /// The number of requests seen.
  public var requests = 0
  /// The number of final responses seen.
  public var responses = 0
  /// Octets of the requests.
  public var request = APIOctets()
  /// Octets of the responses, interim ones included.
  public var response = APIOctets()
  /// Octets of requests and responses that were not captured.
  public var missing = 0
  /// Octets of messages that most likely, but not certainly, belong to the API (`Pairing.inferred`).
  public var inferred = 0
  /// The number of messages that ended early, as far as captured.
  public var aborted = 0
  /// The number of final responses with a 4xx status.
  public var status4xx = 0
  /// The number of final responses with a 5xx status.
  public var status5xx = 0
  /// The wait phases of the exchanges.
  public var wait = LatencyDistribution()

  /// Creates totals of no messages.
  public init() {}

  /// `ip_bytes` of requests and responses.
  public var ipLength: Int { request.ipLength + response.ipLength }

  /// Octets of header sections that field compression saves, for messages where both lengths are known.
  public var savedByCompression: Int { request.savedByCompression + response.savedByCompression }

  /// Adds the figures of other totals. Names do not change.
  package mutating func add(_ other: APITotals) {
    requests += other.requests
    responses += other.responses
    request += other.request
    response += other.response
    missing += other.missing
    inferred += other.inferred
    aborted += other.aborted
    status4xx += other.status4xx
    status5xx += other.status5xx
    wait.merge(other.wait)
  }
}

/// The octets of one direction of an API.
public struct APIOctets: Sendable, Equatable {
  /// Octets of messages by kind.
  public var octets = MessageOctets()
  /// Octets of content without codings, for messages where this is known.
  public var decodedBody = 0
  /// Octets of payload that were sent again.
  public var retransmitted = 0
  /// Octets of network and transport headers.
  public var overhead = 0
  /// Octets of TLS records without the messages' octets.
  public var tls = 0
  /// Octets in tunnels that the messages opened, without those of CONNECT.
  public var tunnel = 0
  /// Octets of HTTP/2 frames that carry neither fields nor content.
  public var control = 0
  /// Octets of header sections in the spelling of HTTP/1.1, for messages where this is known.
  public var expandedHeader = 0
  /// Octets of the same header sections on the wire.
  public var compressedHeader = 0

  /// Creates counts of zero.
  public init() {}

  /// Octets of header sections that field compression saves, for messages where both lengths are known.
  public var savedByCompression: Int { expandedHeader - compressedHeader }

  /// `ip_bytes`: message, tunnel, TLS, control, retransmitted and overhead octets.
  public var ipLength: Int { octets.total + tunnel + tls + control + retransmitted + overhead }

  /// Adds other counts, each to its own.
  static func += (sum: inout APIOctets, other: APIOctets) {
    sum.octets += other.octets
    sum.decodedBody += other.decodedBody
    sum.retransmitted += other.retransmitted
    sum.overhead += other.overhead
    sum.tls += other.tls
    sum.tunnel += other.tunnel
    sum.control += other.control
    sum.expandedHeader += other.expandedHeader
    sum.compressedHeader += other.compressedHeader
  }
}

extension APITotals {
  /// Replaces each text that is part of the API's name.
  package mutating func changeTexts(_ change: (TextID) -> TextID) {
    host = change(host)
    path = change(path)
    method = change(method)
    process = change(process)
  }
}
