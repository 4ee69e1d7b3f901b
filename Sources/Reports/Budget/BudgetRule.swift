/// Limits for the APIs that match a pattern.
package struct BudgetRule: Sendable {
  /// What a limit is for.
  package enum Scope: String, CaseIterable, Sendable {
    /// Each API that matches, by itself.
    case api
    /// Each API that matches, its octets divided by its requests.
    case request
    /// All APIs that match, together.
    case match
  }

  /// The line of the file where it stands.
  package let line: Int
  /// The hosts.
  package let host: NamePattern
  /// The paths.
  package let path: NamePattern
  /// The method; nil: any.
  package let method: String?
  /// What the limits are for.
  package let scope: Scope
  /// The limits, in the order of the file.
  package let limits: [BudgetLimit]

  /// Whether it is about an API.
  func matches(_ key: APIKey) -> Bool {
    // What has no host has no name at all: responses without their requests.
    guard !key.host.isEmpty || !key.path.isEmpty else { return false }
    if let method, Array(method.utf8) != key.method { return false }
    return host.matches(key.host) && path.matches(key.path)
  }

  /// The pattern in words, escaped.
  package var text: String {
    TextEscaping.string(Array(((method.map { $0 + " " } ?? "") + host.text + " " + path.text).utf8))
  }
}
