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

// Unsafe: for one call, libcrypto gets the address and the length of the caller's octets, and of a digest with room for its output. Its
// algorithm stays valid for the life of the process.

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

// Unsafe: octets are copied into secrets that have exactly their length.

/// The key derivation of TLS.
package enum KeyDerivation {
  /// The longest input in octets. The longest labels of TLS with their prefix have some twenty, seeds have 64.
  private static let longestInput = 128

  /// `HKDF-Expand-Label` with an empty context (RFC 8446 §7.1). Returns `length` octets, at most one digest's.
  package static func expandLabel(
    _ label: StaticString, of secret: RawSpan, _ digest: DigestAlgorithm, length: Int
  ) -> SecretOctets? {
    let count = 11 + label.utf8CodeUnitCount
    var info = InlineArray<64, UInt8>(repeating: 0)
    guard length <= digest.length, count <= info.count else { return nil }
    info[0] = UInt8(length >> 8)
    info[1] = UInt8(truncatingIfNeeded: length)
    info[2] = UInt8(6 + label.utf8CodeUnitCount)
    ("tls13 " as StaticString).withUTF8Buffer { for index in 0..<6 { unsafe info[3 + index] = $0[index] } }
    label.withUTF8Buffer { for index in $0.indices { unsafe info[9 + index] = $0[index] } }
    // An empty context has the length 0. The last octet is the number of the first and only block.
    info[count - 1] = 1
    var mac = MACOctets()
    let isDone = digest.authenticate(unsafe info.span.bytes.extracting(0..<count), key: secret, to: &mac)
    guard isDone else { return nil }
    return mac.withOctets { SecretOctets($0.extracting(0..<length)) }
  }

  /// The expansion of a secret in TLS before 1.3.
  package enum PseudorandomFunction: Sendable {
    /// MD5 and SHA-1 together: TLS 1.0 and 1.1 (RFC 4346 §5).
    case md5AndSHA1
    /// One digest: TLS 1.2 (RFC 5246 §5).
    case one(DigestAlgorithm)
  }

  /// Computes `PRF(secret, label, seed)`; nil if this libcrypto cannot.
  package static func expand(
    _ secret: RawSpan, _ label: StaticString, seed: [UInt8], _ function: PseudorandomFunction, length: Int
  ) -> SecretOctets? {
    var input: [UInt8] = []
    label.withUTF8Buffer { unsafe input.append(contentsOf: $0) }
    input += seed
    guard input.count <= longestInput else { return nil }
    let made = SecretOctets(count: length)
    switch function {
    case .one(let digest):
      guard mix(secret, input, digest, into: made) else { return nil }
    case .md5AndSHA1:
      let half = (secret.byteCount + 1) / 2
      guard mix(secret.extracting(0..<half), input, .md5, into: made),
        mix(secret.extracting(secret.byteCount - half..<secret.byteCount), input, .sha1, into: made)
      else { return nil }
    }
    return made
  }

  /// Combines `made` with `P_hash(secret, input)` by exclusive or (RFC 5246 §5).
  private static func mix(
    _ secret: RawSpan, _ input: [UInt8], _ digest: DigestAlgorithm, into made: SecretOctets
  ) -> Bool {
    var link = MACOctets()
    guard digest.authenticate((unsafe input.span.bytes), key: secret, to: &link) else { return false }
    var offset = 0
    while offset < made.count {
      var output = MACOctets()
      let isDone = link.withOctets { link in
        digest.authenticate(link, (unsafe input.span.bytes), key: secret, to: &output)
      }
      guard isDone else { return false }
      output.withOctets { output in
        unsafe made.withMemory { memory in
          for index in 0..<min(output.byteCount, memory.count - offset) {
            unsafe memory[offset + index] ^= output.unsafeLoad(fromByteOffset: index, as: UInt8.self)
          }
        }
      }
      offset += digest.length
      var next = MACOctets()
      guard link.withOctets({ digest.authenticate($0, key: secret, to: &next) }) else { return false }
      link = next
    }
    return true
  }
}
