import TableReading

/// Two reports, API by API.
package struct ReportComparison: Sendable {
  /// The first report, as the user named it.
  package let baseName: String
  /// The second report, as the user named it.
  package let newName: String
  /// Whether APIs have methods.
  package let isByMethod: Bool
  /// Whether one of the reports is also grouped by process.
  package let isByProcess: Bool
  /// The threshold of the comparison.
  package let threshold: GrowthThreshold?
  /// The APIs of both reports, sorted.
  package let apis: [APIComparison]
  /// The order of APIs.
  let order: ComparisonOrder
  /// Octets of TLS and QUIC handshakes in the first report; nil when it has no such figure.
  let baseHandshake: Int?
  /// Octets of TLS and QUIC handshakes in the second report; nil when it has no such figure.
  let newHandshake: Int?
  /// All APIs together. It is never beyond the threshold, which applies to single APIs.
  package let total: APIComparison

  /// Compares two reports.
  ///
  /// - Parameters:
  ///   - base: The report to compare with.
  ///   - new: The report to examine.
  ///   - threshold: The threshold of growth; nil without one.
  ///   - order: The order of APIs.
  ///   - allowsUnlike: Whether reports about unlike things are compared.
  /// - Throws: When they are about unlike things, and that is not allowed. They are if grouped in different ways, if only one has
  ///   hashed paths, or if made with other options.
  package init(
    _ base: ReportedAPIs, _ new: ReportedAPIs, threshold: GrowthThreshold? = nil, order: ComparisonOrder = .ip,
    allowsUnlike: Bool = false
  ) throws(ReadingError) {
    if !allowsUnlike { try ReportLikeness.check(base, new) }
    baseName = base.name
    newName = new.name
    self.order = order
    baseHandshake = base.handshake
    newHandshake = new.handshake
    isByMethod = base.isByMethod || new.isByMethod
    isByProcess = base.isByProcess || new.isByProcess
    self.threshold = threshold
    let keys = Array(base.apis.keys) + new.apis.keys.filter { base.apis[$0] == nil }
    let compared = keys.map { key in
      let api = APIComparison(key, base.apis[key], new.apis[key], threshold)
      return (magnitude: order.magnitude(api), api: api)
    }
    apis = compared.sorted {
      $0.magnitude == $1.magnitude ? $0.api.key < $1.api.key : $0.magnitude > $1.magnitude
    }.map(\.api)
    total = APIComparison(APIKey(host: [], path: []), Self.sum(base), Self.sum(new), nil)
  }

  /// The APIs that grew beyond the threshold.
  package var beyond: [APIComparison] { apis.filter(\.isBeyond) }

  private static func sum(_ report: ReportedAPIs) -> ReportedAPI {
    var sum = ReportedAPI()
    for api in report.apis.values { sum.figures.add(api.figures) }
    return sum
  }
}

/// One API in two reports.
package struct APIComparison: Sendable {
  /// The kind of change. `ip_bytes` tells whether an API grew or shrank.
  package enum Change: String, Sendable {
    case new
    case vanished
    case grew
    case shrank
    /// The same `ip_bytes`, but another figure differs.
    case changed
    case same
  }

  /// The API.
  package let key: APIKey
  /// The kind of change.
  package let change: Change
  /// The API in the first report; all zero when it is new.
  package let base: ReportedAPI
  /// The API in the second report; all zero when it has vanished.
  package let new: ReportedAPI
  /// Whether it grew beyond the threshold.
  package let isBeyond: Bool

  init(_ key: APIKey, _ base: ReportedAPI?, _ new: ReportedAPI?, _ threshold: GrowthThreshold?) {
    self.key = key
    self.base = base ?? ReportedAPI()
    self.new = new ?? ReportedAPI()
    let difference = self.new.figures[.ip] - self.base.figures[.ip]
    change =
      if base == nil { .new } else if new == nil { .vanished } else if difference != 0 {
        difference > 0 ? .grew : .shrank
      } else {
        base == new ? .same : .changed
      }
    isBeyond = threshold?.isExceeded(from: self.base.figures, to: self.new.figures) ?? false
  }

  /// New minus base.
  package func difference(_ column: APIColumn) -> Int { new.figures[column] - base.figures[column] }

  /// New minus base.
  package func difference(_ sum: APISum) -> Int { new.figures[sum] - base.figures[sum] }

  /// New minus base in nanoseconds; nil unless both are known.
  package func difference(_ wait: KeyPath<ReportedAPI, Int64?>) -> Int64? {
    guard let old = base[keyPath: wait], let new = new[keyPath: wait] else { return nil }
    return new - old
  }

  /// New minus base of `ip_bytes` per request, in thousandths of an octet; nil unless both have requests.
  package var perRequestDifference: Int? {
    guard let old = base.figures.thousandthsPerRequest, let new = new.figures.thousandthsPerRequest else { return nil }
    return new - old
  }
}

extension APICounts {
  /// `ip_bytes` per request, in thousandths of an octet, rounded to the nearest; nil without requests.
  package var thousandthsPerRequest: Int? {
    let requests = self[.requests]
    return requests > 0 ? (self[.ip] * 1000 + requests / 2) / requests : nil
  }
}

/// The orders of APIs: by the absolute difference of a figure, the greatest first, and then as in other reports.
package enum ComparisonOrder: String, CaseIterable, Sendable {
  case ip = "ip-bytes"
  case message = "message-bytes"
  case header = "header-bytes"
  case body = "body-bytes"
  case requests
  case errors
  case waitP95 = "wait-p95"
  case perRequest = "per-request"
  case name
  case tls = "tls-bytes"

  /// The column that shows the figure; nil for names.
  var column: ComparisonColumn? {
    switch self {
    case .ip: .change
    case .message: .message
    case .header: .header
    case .body: .body
    case .requests: .requests
    case .errors: .errors
    case .waitP95: .waitP95
    case .perRequest: .perRequest
    case .tls: .tls
    case .name: nil
    }
  }

  /// The size of the difference.
  func magnitude(_ api: APIComparison) -> UInt {
    switch self {
    case .ip: api.difference(APISum.ip).magnitude
    case .message: api.difference(APISum.message).magnitude
    case .header: api.difference(APISum.header).magnitude
    case .body: api.difference(APISum.body).magnitude
    case .requests: api.difference(APIColumn.requests).magnitude
    case .errors: api.difference(APISum.errors).magnitude
    case .waitP95: UInt(api.difference(\.waitP95)?.magnitude ?? 0)
    case .perRequest: api.perRequestDifference?.magnitude ?? 0
    case .name: 0
    case .tls: api.difference(APISum.tls).magnitude
    }
  }
}
