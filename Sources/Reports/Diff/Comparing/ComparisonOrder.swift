/// What APIs are sorted by: the absolute difference of a figure, the greatest first; and then as in other reports.
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

  /// How much is different.
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
    }
  }
}
