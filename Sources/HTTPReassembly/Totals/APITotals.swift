/// The totals of one API: a host and path (and method when asked for). All lengths are octets.
public struct APITotals: Sendable {
  /// The host; `TextID.none` for responses whose request was not captured.
  public var host = TextID.none
  /// The path.
  public var path = TextID.none
  /// The method, when totals are grouped by method too.
  public var method = TextID.none
  /// The name of the process, when totals are grouped by process too; `TextID.none` where it is not known.
  public var process = TextID.none
  /// Requests seen.
  public var requests = 0
  /// Final responses seen.
  public var responses = 0
  /// The requests' octets.
  public var request = APIOctets()
  /// The responses' octets, interim ones included.
  public var response = APIOctets()
  /// Octets not captured, of requests and responses.
  public var missing = 0
  /// Message octets that were given to the API as the likeliest, not for certain (`Pairing.inferred`).
  public var inferred = 0
  /// Messages that stopped before their end, as far as it was captured.
  public var aborted = 0
  /// Final responses with a 4xx status.
  public var status4xx = 0
  /// Final responses with a 5xx status.
  public var status5xx = 0
  /// The wait phase of the exchanges.
  public var wait = LatencyDistribution()

  /// No messages.
  public init() {}

  /// `ip_bytes` of requests and responses.
  public var ipLength: Int { request.ipLength + response.ipLength }

  /// Octets of header sections that field compression keeps off the wire, of the messages where they are known.
  public var savedByCompression: Int { request.savedByCompression + response.savedByCompression }

  /// Adds the figures of other totals; names stay.
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
  /// Message octets by what they are.
  public var octets = MessageOctets()
  /// Octets of the content without its codings, of the messages where it is known.
  public var decodedBody = 0
  /// Payload octets sent again.
  public var retransmitted = 0
  /// Network and transport octets.
  public var overhead = 0
  /// What TLS records have beside the messages' octets.
  public var tls = 0
  /// Octets of HTTP/2 frames that carry neither fields nor content.
  public var control = 0
  /// Octets of the header sections in the spelling of HTTP/1.1, of the messages where they are known.
  public var expandedHeader = 0
  /// The header octets on the wire of the same messages.
  public var compressedHeader = 0

  /// All zero.
  public init() {}

  /// Octets of header sections that field compression keeps off the wire, of the messages where they are known.
  public var savedByCompression: Int { expandedHeader - compressedHeader }

  /// `ip_bytes`: message, TLS, control, retransmitted and overhead octets.
  public var ipLength: Int { octets.total + tls + control + retransmitted + overhead }

  /// Adds the octets of others, each to its own.
  static func += (sum: inout APIOctets, other: APIOctets) {
    sum.octets += other.octets
    sum.decodedBody += other.decodedBody
    sum.retransmitted += other.retransmitted
    sum.overhead += other.overhead
    sum.tls += other.tls
    sum.control += other.control
    sum.expandedHeader += other.expandedHeader
    sum.compressedHeader += other.compressedHeader
  }
}
