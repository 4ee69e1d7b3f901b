import Crypto
import Reports

extension Redaction {
  /// Redacts with SHA-256, so that the same text becomes the same pseudonym in every report.
  static let sha256 = Redaction { Array(SHA256.hash(data: $0)) }
}
