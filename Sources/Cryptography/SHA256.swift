// Unsafe: for one call, libcrypto gets the address and the length of the caller's octets, and of a digest with room for its output. Its
// algorithm stays valid for the life of the process.

import CCrypto

/// SHA-256 (FIPS 180-4), computed by libcrypto.
package enum SHA256 {
  /// The length of a digest in octets.
  package static let length = 32

  /// libcrypto's algorithm, found once. Finding it takes longer than hashing a short text.
  nonisolated(unsafe) private static let algorithm: OpaquePointer = {
    CryptoLibrary.initialize()
    guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
      preconditionFailure("libcrypto has no SHA-256")
    }
    return unsafe algorithm
  }()

  /// Prepares libcrypto. A process that confines itself must call it before.
  package static func prepare() { _ = unsafe algorithm }

  /// The digest of octets as 64 hexadecimal digits.
  package static func text(of octets: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(digest(octets).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// The digest of octets.
  package static func digest(_ octets: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: length) { digest, count in
      let status = unsafe EVP_Digest(octets, octets.count, digest.baseAddress, nil, algorithm, nil)
      precondition(status == 1, "libcrypto has no memory")
      count = length
    }
  }
}
