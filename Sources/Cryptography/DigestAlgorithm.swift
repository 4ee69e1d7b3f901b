// Unsafe: for one call, libcrypto gets addresses and lengths of the caller's octets, and room for its output. Its contexts stay valid for the
// life of the process, and one thread at a time has them.

import CCrypto
import Synchronization

/// A digest for the key derivation or the MAC of TLS, computed by libcrypto.
package enum DigestAlgorithm: UInt8, CaseIterable, Sendable {
  case md5
  case sha1
  case sha256
  case sha384

  /// The length of a digest in octets.
  package var length: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    }
  }

  private var name: String {
    switch self {
    case .md5: "MD5"
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    }
  }

  /// A context for the MAC of each digest; nil where this libcrypto lacks it. They are used again and again: to make one takes longer than
  /// most MACs.
  private static let contexts = unsafe Mutex<[OpaquePointer?]>(
    {
      CryptoLibrary.initialize()
      let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
      return unsafe allCases.map { digest in
        guard let algorithm = unsafe algorithm, let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
        var name = Array(digest.name.utf8CString)
        let isSet = unsafe name.withUnsafeMutableBufferPointer { name in
          let parameters = unsafe [
            OSSL_PARAM_construct_utf8_string("digest", name.baseAddress, 0), OSSL_PARAM_construct_end(),
          ]
          return unsafe EVP_MAC_CTX_set_params(context, parameters) == 1
        }
        guard isSet else {
          unsafe EVP_MAC_CTX_free(context)
          return nil
        }
        return unsafe context
      }
    }())

  /// Finds the algorithms before they are needed.
  static func prepare() {
    var mac = MACOctets()
    let octets: [UInt8] = [0]
    for digest in allCases {
      _ = digest.digest([0])
      _ = digest.authenticate((unsafe octets.span.bytes), key: (unsafe octets.span.bytes), to: &mac)
    }
  }

  /// The digest of octets; empty if this libcrypto cannot compute it. libcrypto looks the algorithm up each time.
  package func digest(_ octets: [UInt8]) -> [UInt8] {
    var name = name.utf8CString
    return unsafe [UInt8](unsafeUninitializedCapacity: 64) { digest, count in
      unsafe name.withUnsafeMutableBufferPointer { name in
        let status = unsafe EVP_Q_digest(
          nil, name.baseAddress, nil, octets, octets.count, digest.baseAddress, &count)
        if status != 1 { count = 0 }
      }
    }
  }

  /// Writes the HMAC (RFC 2104) of two pieces of octets, one behind the other, to `mac`. Returns false if this libcrypto cannot compute it.
  package func authenticate(
    _ first: RawSpan, _ second: RawSpan = RawSpan(), key: RawSpan, to mac: inout MACOctets
  ) -> Bool {
    unsafe Self.contexts.withLock { contexts in
      guard let context = unsafe contexts[Int(rawValue)] else { return false }
      return unsafe Self.authenticate(first, second, key: key, to: &mac, context)
    }
  }

  @unsafe
  private static func authenticate(
    _ first: RawSpan, _ second: RawSpan, key: RawSpan, to mac: inout MACOctets, _ context: OpaquePointer
  ) -> Bool {
    var isDone = unsafe key.withUnsafeBytes { key in
      // An empty key needs an address, too: without one the last key stays.
      var none: UInt8 = 0
      guard let address = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return unsafe EVP_MAC_init(context, &none, 0, nil) == 1
      }
      return unsafe EVP_MAC_init(context, address, key.count, nil) == 1
    }
    for piece in 0..<2 {
      let octets = piece == 0 ? first : second
      guard octets.byteCount > 0 else { continue }
      unsafe octets.withUnsafeBytes { octets in
        let address = unsafe octets.baseAddress?.assumingMemoryBound(to: UInt8.self)
        isDone = unsafe EVP_MAC_update(context, address, octets.count) == 1 && isDone
      }
    }
    var length = 0
    unsafe withUnsafeMutableBytes(of: &mac.octets) { room in
      let address = unsafe room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      isDone = unsafe EVP_MAC_final(context, address, &length, room.count) == 1 && isDone
    }
    mac.count = length
    return isDone
  }
}

/// The octets of a MAC, at most 64.
package struct MACOctets {
  fileprivate(set) var octets: InlineArray<64, UInt8> = .init(repeating: 0)
  package fileprivate(set) var count = 0

  package init() {}

  /// Lends the octets.
  package func withOctets<Result>(_ body: (RawSpan) -> Result) -> Result {
    body((unsafe octets.span.bytes).extracting(0..<count))
  }

  /// Whether the MAC equals these octets. The time does not depend on their values.
  package func matches(_ other: RawSpan) -> Bool {
    guard count == other.byteCount else { return false }
    return unsafe other.withUnsafeBytes { other in
      unsafe withUnsafeBytes(of: octets) { unsafe CRYPTO_memcmp($0.baseAddress, other.baseAddress, count) == 0 }
    }
  }
}
