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
