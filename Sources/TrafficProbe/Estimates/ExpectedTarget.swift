import Foundation

/// The request target in origin-form (RFC 9112, section 3.2.1).
///
/// Formula: the path as in the URL, SP-free and percent-encoded, or `/` when it is empty. Then `?` and the query, if there is
/// one. The fragment never leaves the client. Before sending, libcurl removes dot segments (RFC 3986, section 5.2.4); for
/// CFNetwork the path is taken unchanged.
///
/// Cannot be known: a proxy that wants absolute-form.
struct ExpectedTarget: Equatable, Sendable {
  /// The path as it is sent.
  let path: String
  /// Path and query.
  let text: String
  /// Octets of the query, without the question mark; nil without a query. An empty query still costs its question mark.
  let queryOctets: Int?

  init(_ url: URL) {
    let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true)
    var path = parts?.percentEncodedPath ?? url.path
    #if canImport(FoundationNetworking)
      path = ExpectedTarget.withoutDotSegments(path)
    #endif
    self.path = path.isEmpty ? "/" : path
    text = self.path + (parts?.percentEncodedQuery.map { "?" + $0 } ?? "")
    queryOctets = parts?.percentEncodedQuery?.utf8.count
  }

  /// Octets of the whole target.
  var octets: Int { path.utf8.count + (queryOctets.map { $0 + 1 } ?? 0) }

  /// Removes the dot segments of an absolute path (RFC 3986, section 5.2.4).
  static func withoutDotSegments(_ path: String) -> String {
    guard path.hasPrefix("/"), path.contains("/.") else { return path }
    var kept: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".":
        if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default:
        kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
