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
  /// The thresholds of the comparison.
  package let thresholds: TrafficThresholds
  /// The APIs of both reports, sorted.
  package let apis: [APIComparison]
  /// The order of APIs.
  let order: ComparisonOrder
  /// All connections of the first report; nil when it has no table of hosts.
  let baseHosts: ReportedHost?
  /// All connections of the second report; nil when it has no table of hosts.
  let newHosts: ReportedHost?
  /// The hosts that grew beyond the threshold, most growth first.
  package let beyondHosts: [HostComparison]
  /// The reasons why the comparison says little or nothing, a line each: closed TLS, or nothing to compare.
  package let gaps: [String]
  /// All APIs together. It is never beyond the threshold, which applies to single APIs.
  package let total: APIComparison

  /// Compares two reports.
  ///
  /// - Parameters:
  ///   - base: The report to compare with.
  ///   - new: The report to examine.
  ///   - thresholds: The thresholds of growth.
  ///   - order: The order of APIs.
  ///   - allowsUnlike: Whether reports about unlike things are compared.
  /// - Throws: When they are about unlike things, and that is not allowed. They are if grouped in different ways, if only one has
  ///   hashed paths, or if made with other options.
  package init(
    _ base: ReportedAPIs, _ new: ReportedAPIs, thresholds: TrafficThresholds = TrafficThresholds(),
    order: ComparisonOrder = .ip, allowsUnlike: Bool = false
  ) throws(ReadingError) {
    if !allowsUnlike { try ReportLikeness.check(base, new) }
    baseName = base.name
    newName = new.name
    self.order = order
    baseHosts = base.hosts == nil ? nil : base.allHosts
    newHosts = new.hosts == nil ? nil : new.allHosts
    beyondHosts = Self.beyondHosts(base, new, thresholds)
    gaps = Self.gaps(base, new, thresholds)
    isByMethod = base.isByMethod || new.isByMethod
    isByProcess = base.isByProcess || new.isByProcess
    self.thresholds = thresholds
    let keys = Array(base.apis.keys) + new.apis.keys.filter { base.apis[$0] == nil }
    let compared = keys.map { key in
      let api = APIComparison(key, base.apis[key], new.apis[key], thresholds)
      return (magnitude: order.magnitude(api), api: api)
    }
    apis = compared.sorted {
      $0.magnitude == $1.magnitude ? $0.api.key < $1.api.key : $0.magnitude > $1.magnitude
    }.map(\.api)
    total = APIComparison(APIKey(host: [], path: []), Self.sum(base), Self.sum(new), TrafficThresholds())
  }

  /// The APIs that grew beyond the threshold, or became slower beyond it.
  package var beyond: [APIComparison] { apis.filter(\.isBeyond) }

  /// Whether all connections together grew beyond the threshold.
  package var isTotalBeyond: Bool {
    guard let share = thresholds.total, let baseHosts, let newHosts else { return false }
    return thresholds.isExceeded(from: baseHosts.ip, to: newHosts.ip, share)
  }

  /// Whether something grew beyond a threshold.
  package var isBeyond: Bool { !beyond.isEmpty || !beyondHosts.isEmpty || isTotalBeyond }

  /// Whether it could not be checked: nothing was counted on a side, or closed TLS may hide APIs. Closed connections have exact octets, so
  /// that thresholds of connections alone can be checked.
  package var isUnchecked: Bool {
    guard thresholds.areOfConnections, !thresholds.areOfAPIs else { return !gaps.isEmpty }
    return baseHosts == nil || newHosts == nil || baseHosts?.ip == 0 || newHosts?.ip == 0
  }

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
  /// Whether its octets grew beyond the threshold.
  package let isLarger: Bool
  /// Whether its waits grew beyond the threshold.
  package let isSlower: Bool

  init(_ key: APIKey, _ base: ReportedAPI?, _ new: ReportedAPI?, _ thresholds: TrafficThresholds) {
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
    isLarger = thresholds.apis?.isExceeded(from: self.base.figures, to: self.new.figures) ?? false
    isSlower = thresholds.isSlower(from: self.base.waitP95, to: self.new.waitP95)
  }

  /// Whether it grew beyond a threshold.
  package var isBeyond: Bool { isLarger || isSlower }

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
  case ip = "ip_bytes"
  case message = "message_bytes"
  case header = "header_bytes"
  case body = "body_bytes"
  case requests
  case errors
  case waitP95 = "wait_ms_p95"
  case perRequest = "ip_bytes_per_request"
  case name
  case tls = "tls_bytes"

  /// The order of a column's name, of its heading, or of an older spelling; nil for other words.
  package init?(word: String) {
    switch word.replacing("-", with: "_").replacing(" ", with: "_") {
    case "change", "total", "ip": self = .ip
    case "message": self = .message
    case "header": self = .header
    case "body": self = .body
    case "tls": self = .tls
    case "p95", "p95_ms", "wait_p95": self = .waitP95
    case "per_request": self = .perRequest
    case "api", "API", "host", "path": self = .name
    case let name: self.init(rawValue: name)
    }
  }

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
