/// A content coding that can be removed (RFC 9110 §8.4.1 and IANA's registry).
///
/// `compress` (LZW) is left out: no server in use sends it. So are `dcb` and `dcz` (RFC 9842), whose dictionary came in another response.
enum ContentCoding {
  /// RFC 1952, RFC 9110 §8.4.1.3.
  case gzip
  /// RFC 1950, RFC 9110 §8.4.1.2; in practice RFC 1951 as well.
  case deflate
  /// RFC 7932.
  case brotli
  /// RFC 8878.
  case zstandard
  /// No coding. The name is reserved for `Accept-Encoding`, but some servers send it (RFC 9110 §12.5.3).
  case identity

  /// The coding called `name`, in lower case; nil if unknown.
  init?(name: String) {
    switch name {
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    case "br": self = .brotli
    case "zstd": self = .zstandard
    case "identity": self = .identity
    default: return nil
    }
  }
}
