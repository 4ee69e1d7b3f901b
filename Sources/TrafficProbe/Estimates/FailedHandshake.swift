#if canImport(FoundationNetworking)
  import Foundation

  /// Whether a load ended in the TLS handshake, before any octet of its request was sent.
  ///
  /// FoundationNetworking has one code, `NSURLErrorUnknown`, for all that libcurl says of TLS and for some other things, so
  /// only libcurl's own words tell. They are read and not kept. Words that are not known are no failed handshake: the
  /// request is counted then, and `unknown` has `cut`.
  enum FailedHandshake {
    /// How libcurl begins what it says of a handshake (with OpenSSL; `error:` is OpenSSL's own). What it says of a
    /// connection that was made has `SSL_read` or `SSL_write` in front instead.
    private static let beginnings = [
      "SSL certificate", "SSL: ", "SSL peer certificate", "SSL connect error", "OpenSSL SSL_connect: ",
      "TLS connect error: ", "error:",
    ]

    static func isCause(of error: NSError) -> Bool {
      guard error.domain == NSURLErrorDomain, error.code == URLError.Code.unknown.rawValue else { return false }
      let words = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
      return beginnings.contains { words.hasPrefix($0) }
    }
  }
#endif
