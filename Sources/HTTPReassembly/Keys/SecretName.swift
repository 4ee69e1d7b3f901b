/// The name of secrets in a key log: 33 octets, the first of them for the kind and length.
struct SecretName {
  static let length = 33
  private(set) var octets: InlineArray<33, UInt8> = .init(repeating: 0)

  /// The origin of the name.
  enum Kind: UInt8 {
    /// The random of a ClientHello: 32 octets.
    case random = 1
    /// The start of an encrypted pre-master secret: 8 octets.
    case encryptedPremaster = 2
    /// A session's identifier: 1 to 32 octets, the number of them in the high bits of the first octet.
    case session = 3
  }

  /// Nil if the octets are too few or too many.
  init?(_ kind: Kind, _ name: RawSpan) {
    switch kind {
    case .random: guard name.byteCount == 32 else { return nil }
    case .encryptedPremaster: guard name.byteCount == 8 else { return nil }
    case .session: guard 1...32 ~= name.byteCount else { return nil }
    }
    octets[0] = kind.rawValue | UInt8(name.byteCount & 0x3f) << 2
    for index in 0..<name.byteCount { octets[index + 1] = name.octet(index) }
  }

  /// Lends the octets.
  @inline(__always)
  func withOctets<Result>(_ body: (RawSpan) -> Result) -> Result { octets.withOctets(body) }
}

extension SecretName: Equatable {
  static func == (a: SecretName, b: SecretName) -> Bool {
    a.withOctets { a in b.withOctets { a.hasSameOctets(as: $0) } }
  }
}

/// Hashes names to 32 bits, for tables of very many names.
///
/// Two names have the same number with a probability of 2⁻³². The number is the high half of a sum of products with secret random factors,
/// modulo 2⁶⁴. Such sums are strongly universal (Lemire and Kaser, "Strongly universal string hashing is fast"), so an attacker cannot
/// prepare names that collide. It takes a few multiplications. The standard library's hasher took a quarter of the time of reading a log of
/// a million names.
struct SecretNameHash {
  /// Random factors: one alone, one for each four octets, and one for the last octet.
  private let factors: InlineArray<10, UInt64>

  init() {
    var generator = SystemRandomNumberGenerator()
    factors = InlineArray { _ in generator.next() }
  }

  /// The number of a name.
  func number(_ name: RawSpan) -> UInt32 {
    precondition(name.byteCount == SecretName.length)
    var sum = factors[0]
    for index in 0..<8 { sum &+= factors[index + 1] &* UInt64(name.bigEndian32(within: 4 &* index)) }
    sum &+= factors[9] &* UInt64(name.octet(within: 32))
    return UInt32(truncatingIfNeeded: sum >> 32)
  }
}
