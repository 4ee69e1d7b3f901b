import HTTPReassembly

extension Budget.Check {
  /// A value of a check with its unit.
  enum Value {
    /// Messages or octets.
    case whole(Int)
    /// Octets per request, in thousandths.
    case thousandths(Int)
    /// A share, in millionths.
    case millionths(Int)
    /// A duration in nanoseconds.
    case nanoseconds(Int)

    /// The text for people.
    var text: String {
      switch self {
      case .whole(let value): Numerals.grouped(value)
      case .thousandths(let value): Self.decimal(value, of: 1000)
      case .millionths(let value): Self.decimal(value, of: 10_000) + "%"
      case .nanoseconds(let value): Self.decimal(value, of: 1_000_000) + " ms"
      }
    }

    /// The number without a sign, and with one decimal.
    private static func decimal(_ value: Int, of unit: Int) -> String {
      let text = Numerals.mean(value, of: unit)
      return text.hasPrefix("+") ? String(text.dropFirst()) : text
    }
  }

  /// The allowed value.
  var most: Value { value(rule.scope == .request ? limit.most * 1000 : limit.most) }

  /// The actual value; nil when it is unknown.
  var actual: Value? { magnitude.map { value($0) } }

  /// The amount beyond the limit; nil when the limit is kept.
  var excess: Value? {
    guard isExceeded, let magnitude else { return nil }
    return value(magnitude - (rule.scope == .request ? limit.most * 1000 : limit.most))
  }

  /// Whether the limit would be kept without the octets whose API is only inferred.
  var isOnlyInferred: Bool {
    guard isExceeded, limit.figure.unit == .octets, !limit.figure.isOfConnections,
      let value = subject.value(limit.figure)
    else { return false }
    let requests = rule.scope == .request ? subject.counts[.requests] : 1
    let (most, overflows) = limit.most.multipliedReportingOverflow(by: requests)
    return !overflows && value - subject.counts[.inferred] <= most
  }

  /// The figure's name and its divisor.
  package var name: String { limit.figure.rawValue + (rule.scope == .request ? " per request" : "") }

  private var magnitude: Int? {
    guard rule.scope == .request else { return subject.value(limit.figure) }
    let requests = subject.counts[.requests]
    guard requests > 0, let value = subject.value(limit.figure) else { return nil }
    return (value * 1000 + requests / 2) / requests
  }

  private func value(_ magnitude: Int) -> Value {
    if rule.scope == .request { return .thousandths(magnitude) }
    switch limit.figure.unit {
    case .count, .octets: return .whole(magnitude)
    case .share: return .millionths(magnitude)
    case .duration: return .nanoseconds(magnitude)
    }
  }
}

/// The checked figures: of an API, or of several together.
struct BudgetSubject {
  /// The figures.
  var counts = APICounts()
  /// The wait phase of the exchanges.
  var wait = LatencyDistribution()
  /// Octets of a step whose direction is unknown.
  var undirected = 0
  /// Octets of the hosts' TLS and QUIC handshakes.
  var handshake = 0

  /// The value of a figure in the unit of its limits; nil when it is unknown.
  func value(_ figure: BudgetFigure) -> Int? {
    switch figure {
    case .requests: counts[.requests]
    case .responses: counts[.responses]
    case .upBytes: counts[.requestIP]
    case .downBytes: counts[.responseIP]
    case .ipBytes: counts[.ip] + undirected
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
    case .inferredBytes: counts[.inferred]
    case .errors: counts[.errors]
    case .status4xx: counts[.status4xx]
    case .status5xx: counts[.status5xx]
    case .errorShare:
      counts[.responses] > 0
        ? Int((Double(counts[.errors]) / Double(counts[.responses]) * 1_000_000).rounded()) : nil
    case .waitP50: wait.percentile(50).map { Int($0) }
    case .waitP95: wait.percentile(95).map { Int($0) }
    case .waitP99: wait.percentile(99).map { Int($0) }
    case .tlsBytes: counts[.tls]
    case .requestTLSBytes: counts[.requestTLS]
    case .responseTLSBytes: counts[.responseTLS]
    case .handshakeBytes: handshake
    }
  }

  /// Whether a figure is beyond its limit; a figure exactly at the limit is not. The comparison does not round.
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
