#if canImport(FoundationNetworking)
  import Foundation

  /// The fields that the loader of FoundationNetworking adds to every request, on its way through libcurl.
  ///
  /// Seen on the wire: Host, `Accept: */*`, Accept-Encoding with the codings of libcurl's build, and `Connection: keep-alive`.
  /// User-Agent has the process name and libcurl's version. Accept-Language has the language code of the current locale. The
  /// loader sends Expect with one kind of body only, a stream of the session's delegate.
  enum SystemFields {
    static let accept = "*/*"
    static let connection = "keep-alive"

    static let acceptEncoding: String = {
      var codings: [String] = []
      // libcurl's order; deflate and gzip both come with zlib.
      if LoadedCurl.version.contains("zlib/") { codings += ["deflate", "gzip"] }
      if LoadedCurl.version.contains("brotli/") { codings.append("br") }
      if LoadedCurl.version.contains("zstd/") { codings.append("zstd") }
      return codings.joined(separator: ", ")
    }()

    static let userAgent: String = {
      let release = LoadedCurl.version.split(separator: " ").first?.split(separator: "/").last ?? "8.5.0"
      return "\(ProcessInfo.processInfo.processName) (unknown version) curl/\(release)"
    }()

    static var acceptLanguage: String? { Locale.current.language.languageCode?.identifier }
  }
#endif
