#if !canImport(FoundationNetworking)
  import Foundation

  /// The fields that CFNetwork adds to every request and does not show to a URLProtocol. They are Host, `Accept: */*`,
  /// Accept-Encoding (with `br` over TLS), Accept-Language from the preferred languages, User-Agent, and
  /// `Connection: keep-alive`.
  ///
  /// Cannot be known: the details change between releases. Task metrics, where they come, replace the sums.
  enum SystemFields {
    static let accept = "*/*"
    static let connection = "keep-alive"

    static func acceptEncoding(secure: Bool) -> String { secure ? "gzip, deflate, br" : "gzip, deflate" }

    /// At most six languages, each with a quality one tenth less than the language before it.
    static var acceptLanguage: String? {
      let languages = Locale.preferredLanguages.prefix(6)
      guard !languages.isEmpty else { return nil }
      return languages.enumerated()
        .map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - $0.offset)" }.joined(separator: ",")
    }

    /// Name and version of the app, of CFNetwork and of the kernel.
    static let userAgent: String = {
      let info = Bundle.main.infoDictionary ?? [:]
      let name = (info["CFBundleName"] as? String) ?? ProcessInfo.processInfo.processName
      let version = (info["CFBundleVersion"] as? String) ?? "1"
      let network = Bundle(identifier: "com.apple.CFNetwork")?.infoDictionary?["CFBundleVersion"] as? String
      let encoded = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
      return "\(encoded)/\(version) CFNetwork/\(network ?? "1.0") Darwin/\(kernelRelease)"
    }()

    /// `sysctl kern.osrelease`, for example `25.0.0`. Unsafe, because the C call fills a buffer.
    private static let kernelRelease: String = {
      var size = 0
      guard unsafe sysctlbyname("kern.osrelease", nil, &size, nil, 0) == 0, size > 1 else { return "25.0.0" }
      var octets = [UInt8](repeating: 0, count: size)
      guard unsafe sysctlbyname("kern.osrelease", &octets, &size, nil, 0) == 0 else { return "25.0.0" }
      return String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
    }()
  }
#endif
