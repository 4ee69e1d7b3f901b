#if canImport(FoundationNetworking)
  import Foundation

  /// Whether a load ended in the TLS handshake, before any octet of its request was sent.
  ///
  /// FoundationNetworking has one code, `NSURLErrorUnknown`, for all TLS errors of libcurl and for some others, so only libcurl's
  /// own words tell. They are read and not kept. Unknown words do not count as a failed handshake: then the request is counted,
  /// and `unknown` has `cut`.
  enum FailedHandshake {
    /// The beginnings of libcurl's words about a handshake (with OpenSSL; `error:` is OpenSSL's own). Its words about an
    /// established connection begin with `SSL_read` or `SSL_write` instead.
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
