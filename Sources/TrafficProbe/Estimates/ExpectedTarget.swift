import Foundation

/// The request target in origin-form (RFC 9112, section 3.2.1).
///
/// Formula: path SP-free and percent-encoded as the URL has it, `/` when the path is empty, then `?` and the query when
/// there is one. The fragment never leaves the client. libcurl removes dot segments (RFC 3986, section 5.2.4) before it
/// sends; for CFNetwork the path is taken as it stands.
///
/// Cannot be known: a proxy that wants absolute-form.
struct ExpectedTarget: Equatable, Sendable {
  /// The path as it is sent.
  let path: String
  /// Octets of the query, without the question mark; nil without a query. An empty query still costs its question mark.
  let queryOctets: Int?

  init(_ url: URL) {
    let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true)
    var path = parts?.percentEncodedPath ?? url.path
    #if canImport(FoundationNetworking)
      path = ExpectedTarget.withoutDotSegments(path)
    #endif
    self.path = path.isEmpty ? "/" : path
    queryOctets = parts?.percentEncodedQuery?.utf8.count
  }

  /// Octets of the whole target.
  var octets: Int { path.utf8.count + (queryOctets.map { $0 + 1 } ?? 0) }

  /// RFC 3986, section 5.2.4, on the segments of an absolute path.
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
