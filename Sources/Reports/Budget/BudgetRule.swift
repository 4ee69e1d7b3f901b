import Tabular

/// Limits for the APIs that match a pattern.
package struct BudgetRule: Sendable {
  /// The scope of a limit.
  package enum Scope: String, CaseIterable, Sendable {
    /// Each matching API by itself.
    case api
    /// Each matching API, its octets divided by its requests.
    case request
    /// Each matching host by itself, with all octets of its connections, opened or not.
    case host
    /// All matching APIs together.
    case match
    /// Each matching step between marks by itself, with all octets that are IP.
    case step
  }

  /// Its line in the file.
  package let line: Int
  /// The hosts.
  package let host: NamePattern
  /// The paths.
  package let path: NamePattern
  /// The method; nil for any.
  package let method: String?
  /// The names of processes; nil for any, and for none.
  package let process: NamePattern?
  /// The labels of steps; nil for a rule of APIs or hosts.
  package let step: NamePattern?
  /// The scope of the limits.
  package let scope: Scope
  /// The limits, in the order of the file.
  package let limits: [BudgetLimit]

  /// Whether it applies to an API.
  func matches(_ key: APIKey) -> Bool {
    guard !key.isUnknown, scope != .step else { return false }
    if let process, !process.matches(key.process) { return false }
    if let method, Array(method.utf8) != key.method { return false }
    return host.matches(key.host) && path.matches(key.path)
  }

  /// Whether it applies to whole hosts, and so also to the cost of their connections besides messages.
  package var isByHost: Bool {
    scope == .host
      || scope == .match && path.text == "**" && method == nil && process == nil
        && limits.contains { $0.figure.isOfConnections }
  }

  /// The sentence for a rule that matches nothing, escaped.
  package var unmatchedText: String {
    let hint = path.text.contains("{") ? "; paths have {…} with --template or --templates alone" : ""
    return "no \(scope == .host ? "host" : scope == .step ? "step" : "API") matches \(text)\(hint)"
  }

  /// The pattern in words, escaped.
  package var text: String {
    if let step { return TextEscaping.string(Array("step \(step.text)".utf8)) }
    return TextEscaping.string(
      Array(
        ((process.map { $0.text + ": " } ?? "") + (method.map { $0 + " " } ?? "") + host.text + " " + path.text).utf8))
  }
}

/// The figures that a budget can limit, by the keys of the file.
package enum BudgetFigure: String, CaseIterable, Sendable {
  case requests
  case responses
  case upBytes = "up_bytes"
  case downBytes = "down_bytes"
  case ipBytes = "ip_bytes"
  case messageBytes = "message_bytes"
  case startLineBytes = "start_line_bytes"
  case headerBytes = "header_bytes"
  case bodyBytes = "body_bytes"
  case framingBytes = "framing_bytes"
  case trailerBytes = "trailer_bytes"
  case requestHeaderBytes = "request_header_bytes"
  case requestBodyBytes = "request_body_bytes"
  case responseHeaderBytes = "response_header_bytes"
  case responseBodyBytes = "response_body_bytes"
  case missingBytes = "missing_bytes"
  case inferredBytes = "inferred_bytes"
  case errors
  case status4xx = "status_4xx"
  case status5xx = "status_5xx"
  case errorShare = "error_share"
  case waitP50 = "wait_ms_p50"
  case waitP95 = "wait_ms_p95"
  case waitP99 = "wait_ms_p99"
  case tlsBytes = "tls_bytes"
  case requestTLSBytes = "request_tls_bytes"
  case responseTLSBytes = "response_tls_bytes"
  case handshakeBytes = "handshake_bytes"

  /// Whether it is a figure of connections, and so of hosts, and of no API.
  package var isOfConnections: Bool { self == .handshakeBytes }

  /// Whether hosts have it, too, for all of their connections.
  var isOfHosts: Bool {
    switch self {
    case .requests, .responses, .upBytes, .downBytes, .ipBytes, .handshakeBytes: true
    default: false
    }
  }

  /// The figure of a key of the file. Waits also have names without their unit.
  init?(key: String) {
    self.init(rawValue: key.hasPrefix("wait_p") ? "wait_ms_" + key.dropFirst("wait_".count) : key)
  }

  /// Whether steps have it, too.
  var isOfSteps: Bool {
    switch self {
    case .upBytes, .downBytes, .ipBytes: true
    default: false
    }
  }

  /// The units of values.
  package enum Unit: Sendable {
    /// Messages.
    case count
    /// Octets.
    case octets
    /// A share of the final responses.
    case share
    /// Nanoseconds.
    case duration
  }

  /// The unit of its values.
  package var unit: Unit {
    switch self {
    case .requests, .responses, .errors, .status4xx, .status5xx: .count
    case .errorShare: .share
    case .waitP50, .waitP95, .waitP99: .duration
    default: .octets
    }
  }
}

/// A limit: the most that a figure may be.
package struct BudgetLimit: Sendable, Equatable {
  /// The limited figure.
  package let figure: BudgetFigure
  /// Its largest value: messages, octets, millionths of the final responses, or nanoseconds.
  package let most: Int
  /// The text as given.
  package let text: String

  /// Parses a value of the file; nil when it does not have the figure's unit.
  init?(_ figure: BudgetFigure, _ text: String) {
    self.figure = figure
    self.text = text
    guard let most = Self.value(text, figure.unit) else { return nil }
    self.most = most
  }

  /// The form of a value in a unit.
  static func expectation(_ unit: BudgetFigure.Unit) -> String {
    switch unit {
    case .count: "a number, as in 100"
    case .octets: "bytes, as in 4096, 20 kB or 1.5 MiB"
    case .share: "a share of the responses, as in 1%"
    case .duration: "a time, as in 300 (ms), 300 ms or 1.5 s"
    }
  }

  private static func value(_ text: String, _ unit: BudgetFigure.Unit) -> Int? {
    switch unit {
    case .count: return Decimal64(text, scale: 0)?.units
    case .share: return Proportion(text).flatMap { $0.millionths <= 1_000_000 ? $0.millionths : nil }
    case .octets: return OctetAmount(text)?.octets
    // The figure's name has the unit of a plain number.
    case .duration:
      return Decimal64.scaled(text, ["": 1_000_000, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000])
    }
  }
}
