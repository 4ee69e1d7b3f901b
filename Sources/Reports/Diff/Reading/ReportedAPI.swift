/// What an API is known by: octets from the wire; an empty text is unknown or does not apply.
package struct APIKey: Hashable, Sendable {
  /// Name and port, as in reports.
  package var host: [UInt8]
  /// The path; empty when totals are grouped by host only.
  package var path: [UInt8]
  /// The method; empty unless totals are grouped by it.
  package var method: [UInt8]

  /// Made of its parts.
  package init(host: [UInt8], path: [UInt8], method: [UInt8] = []) {
    self.host = host
    self.path = path
    self.method = method
  }

  /// As reports order their rows.
  func precedes(_ other: APIKey) -> Bool {
    if host != other.host { return host.lexicographicallyPrecedes(other.host) }
    if path != other.path { return path.lexicographicallyPrecedes(other.path) }
    return method.lexicographicallyPrecedes(other.method)
  }

  /// What people are shown, escaped.
  var text: String {
    if host.isEmpty, path.isEmpty { return "(request not captured)" }
    return TextEscaping.string(method.isEmpty ? host + path : method + [UInt8(ascii: " ")] + host + path)
  }
}

/// An API as a report has it.
package struct ReportedAPI: Sendable, Equatable {
  /// The figures.
  package var figures = APICounts()
  /// The median of the wait phase in nanoseconds; nil when it is not known.
  package var waitP50: Int64?
  /// The 95th percentile of the wait phase in nanoseconds; nil when it is not known.
  package var waitP95: Int64?

  /// All zero, and no latency.
  package init() {}
}
