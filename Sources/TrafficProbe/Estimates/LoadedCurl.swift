#if canImport(FoundationNetworking)
  import Foundation

  /// The libcurl that FoundationNetworking runs on, by its own name.
  ///
  /// Unsafe, because only its C function tells it, found by name in the running process. Linking libcurl a second time could load
  /// another version than the one that sends the requests.
  enum LoadedCurl {
    /// For example `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 brotli/1.1.0 zstd/1.5.5`. The fallback is a common build, so that the
    /// estimate is near. It serves a statically linked libcurl whose symbols were stripped.
    static let version: String = {
      typealias Version = @convention(c) () -> UnsafePointer<CChar>?
      guard let symbol = unsafe dlsym(nil, "curl_version") else { return fallback }
      let function = unsafe unsafeBitCast(symbol, to: Version.self)
      guard let text = unsafe function() else { return fallback }
      return unsafe String(cString: text)
    }()

    private static let fallback = "libcurl/8.5.0 zlib/1.3 brotli/1.1 zstd/1.5"
  }
#endif
