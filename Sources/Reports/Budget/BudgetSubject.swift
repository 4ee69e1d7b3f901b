import HTTPReassembly

/// What limits are held against: an API, or several together.
struct BudgetSubject {
  /// The figures.
  var counts = APICounts()
  /// The wait phase of the exchanges.
  var wait = LatencyDistribution()

  /// The value of a figure in the unit of its limits; nil when there is nothing to tell it from.
  func value(_ figure: BudgetFigure) -> Int? {
    switch figure {
    case .requests: counts[.requests]
    case .responses: counts[.responses]
    case .upBytes: counts[.requestIP]
    case .downBytes: counts[.responseIP]
    case .ipBytes: counts[.ip]
    case .messageBytes: counts[.message]
    case .startLineBytes: counts[.startLine]
    case .headerBytes: counts[.header]
    case .bodyBytes: counts[.body]
    case .framingBytes: counts[.framing]
    case .trailerBytes: counts[.trailer]
    case .requestHeaderBytes: counts[.requestHeader]
    case .requestBodyBytes: counts[.requestBody]
    case .responseHeaderBytes: counts[.responseHeader]
    case .responseBodyBytes: counts[.responseBody]
    case .missingBytes: counts[.missing]
    case .errors: counts[.errors]
    case .status4xx: counts[.status4xx]
    case .status5xx: counts[.status5xx]
    case .errorShare:
      counts[.responses] > 0
        ? Int((Double(counts[.errors]) / Double(counts[.responses]) * 1_000_000).rounded()) : nil
    case .waitP50: wait.percentile(50).map { Int($0) }
    case .waitP95: wait.percentile(95).map { Int($0) }
    case .waitP99: wait.percentile(99).map { Int($0) }
    }
  }

  /// Whether a figure is beyond its limit; exactly at it is not. Nothing is rounded for it.
  func exceeds(_ limit: BudgetLimit, perRequest: Bool) -> Bool {
    if perRequest {
      let requests = counts[.requests]
      guard requests > 0, let value = value(limit.figure) else { return false }
      let (most, overflows) = limit.most.multipliedReportingOverflow(by: requests)
      return !overflows && value > most
    }
    if limit.figure == .errorShare {
      return Int128(counts[.errors]) * 1_000_000 > Int128(limit.most) * Int128(counts[.responses])
    }
    return value(limit.figure).map { $0 > limit.most } ?? false
  }
}
