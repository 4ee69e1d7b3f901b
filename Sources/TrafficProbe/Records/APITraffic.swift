/// The traffic of one host and path: sums over its records.
public struct APITraffic: Sendable, Equatable {
  /// The number of messages, and the octets of their parts.
  public struct Messages: Sendable, Equatable {
    /// The number of recorded messages.
    public var count = 0
    /// Octets of the start-lines.
    public var line = 0
    /// Octets of the header sections.
    public var header = 0
    /// Octets of the contents, with content coding, without chunk framing.
    public var body = 0
    /// Octets of chunk framing, where it is known.
    public var framing = 0

    /// Octets of lines and header sections that field compression would save over HTTP/2, for messages that may have gone over it.
    public var saved = 0

    /// Octets of the whole messages, with their fields as text.
    public var octets: Int { line + header + body + framing }
    /// Octets of the whole messages as HTTP/2 would carry them: an estimate, without frame headers.
    public var compressedOctets: Int { octets - saved }
  }

  /// The authority.
  public var host: String
  /// The path, without the query.
  public var path: String
  /// The requests, including pending ones.
  public var request = Messages()
  /// The responses.
  public var response = Messages()
  /// Exchanges that ended with an error, before a response or within it.
  public var failures = 0
  /// Responses with a status of 400 and above.
  public var refusals = 0
  /// Requests that had not ended when they were written.
  public var pending = 0

  /// The number of recorded requests.
  public var requests: Int { request.count }
  /// The number of recorded responses.
  public var responses: Int { response.count }
  /// Octets of the requests.
  public var requestOctets: Int { request.octets }
  /// Octets of the responses.
  public var responseOctets: Int { response.octets }
  /// Octets of requests and responses.
  public var octets: Int { requestOctets + responseOctets }
  /// The same as HTTP/2 would carry them: an estimate.
  public var compressedOctets: Int { request.compressedOctets + response.compressedOctets }
}

/// The sums by host and path in progress.
struct TrafficSums {
  private struct Key: Hashable {
    var host: String
    var path: String
  }

  private var sums: [Key: APITraffic] = [:]

  /// Most octets first; equal sums by name.
  var sorted: [APITraffic] {
    sums.values.sorted { ($1.octets, $0.host, $0.path) < ($0.octets, $1.host, $1.path) }
  }

  /// Adds the sums of some messages of one kind.
  mutating func add(
    _ messages: APITraffic.Messages, of kind: TrafficRecord.Kind, host: String, path: String, failures: Int,
    refusals: Int, pending: Int
  ) {
    let key = Key(host: host, path: path)
    var sum = sums[key] ?? APITraffic(host: host, path: path)
    let place = kind == .request ? \APITraffic.request : \APITraffic.response
    sum[keyPath: place].count += messages.count
    sum[keyPath: place].line += messages.line
    sum[keyPath: place].header += messages.header
    sum[keyPath: place].body += messages.body
    sum[keyPath: place].framing += messages.framing
    sum[keyPath: place].saved += messages.saved
    // Both records of an exchange have its error.
    if kind == .request { sum.failures += failures }
    sum.refusals += refusals
    sum.pending += pending
    sums[key] = sum
  }

  /// Adds a record.
  mutating func add(_ record: TrafficRecord) {
    add(
      APITraffic.Messages(
        count: 1, line: record.lineLength, header: record.headerLength, body: record.bodyLength,
        framing: record.framingLength ?? 0,
        saved: record.compressedLength.map { record.lineLength + record.headerLength - $0 } ?? 0),
      of: record.kind, host: record.host, path: record.path, failures: record.error.isEmpty ? 0 : 1,
      refusals: (record.status ?? 0) >= 400 ? 1 : 0, pending: record.isPending ? 1 : 0)
  }
}
