import CSodium
import Reports
import Tabular

extension Redaction {
  /// Redacts with SHA-256, so that the same text becomes the same pseudonym in every report.
  ///
  /// Unsafe only as every call of a C function that is given buffers is: libsodium writes exactly
  /// `crypto_hash_sha256_bytes()` octets, and reads as many as it is told the text has.
  static let sha256 = Redaction { text in
    var digest = [UInt8](repeating: 0, count: crypto_hash_sha256_bytes())
    _ = unsafe crypto_hash_sha256(&digest, text, UInt64(text.count))
    return digest
  }
}
