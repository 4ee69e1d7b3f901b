/// An app's traffic as a table for people: one row for each host and path, most octets first.
public struct TrafficSummary: Sendable, Equatable {
  /// One host and path.
  public struct Row: Sendable, Equatable, Identifiable {
    /// Host and path, which are unique together.
    public var id: String { host + path }
    /// The authority.
    public var host: String
    /// The path, without the query.
    public var path: String
    /// The number of requests.
    public var requests: Int
    /// The number of requests that ended with an error, or with a status of 400 and above.
    public var failures: Int
    /// Sent octets.
    public var sent: Int
    /// Received octets.
    public var received: Int
    /// This row's share of all octets of the table, from 0 to 1.
    public var share: Double

    /// Octets of both directions.
    public var octets: Int { sent + received }
  }

  /// The rows, most octets first.
  public var rows: [Row]
  /// Octets of all rows.
  public var octets: Int

  /// Makes the table from the result of `TrafficProbe.traffic()`.
  /// - Parameter traffic: Sums by host and path, in any order, each host and path once.
  public init(_ traffic: [APITraffic]) {
    let all = traffic.reduce(0) { $0 + $1.octets }
    octets = all
    rows = traffic.map { api in
      Row(
        host: api.host, path: api.path, requests: api.requests, failures: api.failures + api.refusals,
        sent: api.requestOctets, received: api.responseOctets,
        share: all == 0 ? 0 : Double(api.octets) / Double(all))
    }.sorted { ($1.octets, $0.host, $0.path) < ($0.octets, $1.host, $1.path) }
  }

  /// The rows whose host or path contains this text, in any case; all rows for an empty text.
  public func rows(containing text: String) -> [Row] {
    let text = text.lowercased()
    return text.isEmpty ? rows : rows.filter { $0.id.lowercased().contains(text) }
  }

  /// Octets in words, with three significant digits: `999 B`, `1.23 kB`, `12.3 MB`. A kB is 1,000 octets.
  public static func words(_ octets: Int) -> String {
    var value = Double(max(0, octets))
    var unit = 0
    let units = ["B", "kB", "MB", "GB", "TB"]
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    guard unit > 0 else { return "\(max(0, octets)) B" }
    let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let number = Int((value * scale).rounded())
    let fraction = String(number % Int(scale))
    let zeros = String(repeating: "0", count: max(0, digits - fraction.count))
    return "\(number / Int(scale))" + (digits > 0 ? "." + zeros + fraction : "") + " \(units[unit])"
  }
}
