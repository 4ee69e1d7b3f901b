// Unsafe: libcrypto is handed the address and the length of octets lent for one call, and of a digest of its own with
// room for as many octets as it writes. The algorithm that it hands out stays valid for as long as the process lives.

import CCrypto

/// SHA-256 (FIPS 180-4), computed by libcrypto.
package enum SHA256 {
  /// The octets of a digest.
  package static let length = 32

  /// libcrypto's algorithm, found once: to find it takes longer than to hash a short text.
  nonisolated(unsafe) private static let algorithm: OpaquePointer = {
    CryptoLibrary.initialize()
    guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
      preconditionFailure("libcrypto has no SHA-256")
    }
    return unsafe algorithm
  }()

  /// Makes libcrypto ready. A process that confines itself calls this before.
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
