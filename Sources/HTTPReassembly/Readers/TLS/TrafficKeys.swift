import Cryptography

/// The cipher and the IV that a traffic secret of TLS 1.3 gives (RFC 8446 §7.3).
///
/// QUIC derives its own from the same secrets, with other labels (RFC 9001 §5.1, RFC 9369 §3.3.2).
struct TrafficKeys {
  let cipher: RecordCipher
  let initial: InlineArray<12, UInt8>

  /// The labels of a protocol's keys.
  enum Labels {
    case tls
    case quic
    case secondQUIC

    var key: StaticString { choose("key", "quic key", "quicv2 key") }
    var initial: StaticString { choose("iv", "quic iv", "quicv2 iv") }
    /// The label of the key for headers, which only QUIC has.
    var header: StaticString { choose("", "quic hp", "quicv2 hp") }
    var update: StaticString { choose("traffic upd", "quic ku", "quicv2 ku") }

    private func choose(_ tls: StaticString, _ quic: StaticString, _ second: StaticString) -> StaticString {
      switch self {
      case .tls: tls
      case .quic: quic
      case .secondQUIC: second
      }
    }
  }

  /// Nil if the secret has the wrong length, or this libcrypto lacks the cipher.
  init?(_ secret: RawSpan, _ suite: CipherSuite.Protection, _ labels: Labels) {
    guard secret.byteCount == suite.digest.length,
      let key = KeyDerivation.expandLabel(labels.key, of: secret, suite.digest, length: suite.cipher.keyLength),
      let vector = KeyDerivation.expandLabel(labels.initial, of: secret, suite.digest, length: 12),
      let cipher = key.withOctets({ RecordCipher(suite.cipher, key: $0) })
    else { return nil }
    self.cipher = cipher
    var initial = InlineArray<12, UInt8>(repeating: 0)
    vector.withOctets { for index in 0..<12 { initial[index] = $0.octet(index) } }
    self.initial = initial
  }

  /// The secret that follows from one by an update of keys (RFC 8446 §7.2, RFC 9001 §6.1).
  static func update(_ secret: RawSpan, _ suite: CipherSuite.Protection, _ labels: Labels) -> SecretOctets? {
    KeyDerivation.expandLabel(labels.update, of: secret, suite.digest, length: suite.digest.length)
  }

  /// The nonce of a record or packet: the IV and the number by exclusive or (RFC 8446 §5.3).
  @inline(__always)
  func nonce(_ number: Int) -> InlineArray<12, UInt8> {
    var nonce = initial
    for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * index)) }
    return nonce
  }
}
