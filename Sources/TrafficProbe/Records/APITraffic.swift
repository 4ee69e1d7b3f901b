/// The traffic of one host and path: sums over its records.
public struct APITraffic: Sendable, Equatable {
  /// The authority.
  public var host: String
  /// The path, without the query.
  public var path: String
  /// How many requests were recorded.
  public var requests: Int
  /// How many responses were recorded.
  public var responses: Int
  /// Octets of the requests.
  public var requestOctets: Int
  /// Octets of the responses.
  public var responseOctets: Int
}
