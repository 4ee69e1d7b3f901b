import Cryptography

/// The keys that open the Initial packets of one side (RFC 9001 §5.2).
///
/// They can be computed from the client's first destination connection ID.
struct InitialKeys {
  private let cipher: RecordCipher
  private let headerCipher: HeaderCipher
  private let initial: InlineArray<12, UInt8>

  /// Octets of their memory, about.
  static var memory: Int { RecordCipher.memory + HeaderCipher.memory + 64 }

  /// The keys of the client or of the server; nil when this libcrypto cannot make them.
  init?(_ id: QUICConnectionID, _ version: QUICVersion, ofClient isClient: Bool) {
    var common = MACOctets()
    let isDone = id.withOctets { id in
      version.salt.withOctets { DigestAlgorithm.sha256.authenticate(id, key: $0, to: &common) }
    }
    guard isDone,
      let secret = common.withOctets({
        KeyDerivation.expandLabel(isClient ? "client in" : "server in", of: $0, .sha256, length: 32)
      }),
      let keys = secret.withOctets({ Self.expand($0, isSecond: version.isSecond) })
    else { return nil }
    self = keys
  }

  private init(_ cipher: RecordCipher, _ headerCipher: HeaderCipher, _ initial: InlineArray<12, UInt8>) {
    self.cipher = cipher
    self.headerCipher = headerCipher
    self.initial = initial
  }

  private static func expand(_ secret: RawSpan, isSecond: Bool) -> InitialKeys? {
    func expand(_ first: StaticString, _ second: StaticString, _ length: Int) -> SecretOctets? {
      KeyDerivation.expandLabel(isSecond ? second : first, of: secret, .sha256, length: length)
    }
    guard let key = expand("quic key", "quicv2 key", 16), let vector = expand("quic iv", "quicv2 iv", 12),
      let headerKey = expand("quic hp", "quicv2 hp", 16),
      let cipher = key.withOctets({ RecordCipher(.aes128GCM, key: $0) }),
      let headerCipher = headerKey.withOctets({ HeaderCipher(key: $0) })
    else { return nil }
    var initial = InlineArray<12, UInt8>(repeating: 0)
    vector.withOctets { octets in
      for index in 0..<12 { initial[index] = octets.octet(index) }
    }
    return InitialKeys(cipher, headerCipher, initial)
  }

  /// Opens a packet (RFC 9001 §5.3 and §5.4).
  ///
  /// - Parameters:
  ///   - header: The packet's header. The header and the packet were captured whole.
  ///   - payload: The datagram's payload.
  ///   - largest: The largest packet number of the side so far; -1 before the first.
  ///   - room: Takes the frames from its start on. It is at least as long as the payload.
  /// - Returns: The packet number, and the octets of the frames; nil when the tag does not verify.
  func open(
    _ header: QUICPacketHeader, in payload: RawSpan, after largest: Int, into room: inout [UInt8]
  ) -> (number: Int, length: Int)? {
    let sample = header.numberOffset + 4
    guard sample + HeaderCipher.blockLength <= header.end,
      let mask = headerCipher.mask(of: payload.extracting(sample..<sample + HeaderCipher.blockLength))
    else { return nil }
    let first = payload.octet(header.start) ^ mask[0] & 0x0f
    let numberLength = Int(first & 3) + 1
    let sealed = header.numberOffset + numberLength
    // The unprotected header is authenticated with the frames.
    var additional: [UInt8] = []
    payload.append(header.start..<sealed, to: &additional)
    additional[0] = first
    var truncated = 0
    for index in 0..<numberLength {
      let octet = additional[additional.count - numberLength + index] ^ mask[1 + index]
      additional[additional.count - numberLength + index] = octet
      truncated = truncated << 8 | Int(octet)
    }
    let number = Self.number(truncated, bits: numberLength * 8, after: largest)
    var nonce = initial
    for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * index)) }
    let isOpen = additional.withOctets {
      cipher.open(payload.extracting(sealed..<header.end), nonce: nonce, additional: $0, into: &room)
    }
    return isOpen ? (number, header.end - sealed - cipher.algorithm.tagLength) : nil
  }

  /// The packet number that is nearest to the one expected next (RFC 9000 §A.3).
  static func number(_ truncated: Int, bits: Int, after largest: Int) -> Int {
    let expected = largest + 1
    let window = 1 << bits
    let candidate = expected & ~(window - 1) | truncated
    if candidate <= expected - window / 2, candidate < 1 << 62 - window { return candidate + window }
    return candidate > expected + window / 2 && candidate >= window ? candidate - window : candidate
  }
}
