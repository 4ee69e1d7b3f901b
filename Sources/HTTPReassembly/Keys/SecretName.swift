/// What a key log names secrets by: 33 octets, of which the first tells the kinds of names apart.
struct SecretName {
  static let length = 33
  private(set) var octets: InlineArray<33, UInt8> = .init(repeating: 0)

  /// What the name is made of.
  enum Kind: UInt8 {
    /// The random of a ClientHello: 32 octets.
    case random = 1
    /// The start of an encrypted pre-master secret: 8 octets.
    case encryptedPremaster = 2
    /// A session's identifier: 1 to 32 octets, their number in the high bits.
    case session = 3
  }

  /// Nil when the octets are too few or too many.
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

/// Tells names apart by 32 bits, for tables of very many of them.
///
/// Two names have the same number with a probability of 2⁻³², whatever they are: sums of products with numbers that nobody else knows, modulo
/// 2⁶⁴, of which the high half counts, are strongly universal (Lemire and Kaser, "Strongly universal string hashing is fast"). So nobody
/// can prepare names that collide, and it takes a few multiplications, where the standard library's hasher was a quarter of the time that a
/// log of a million names takes.
struct SecretNameHash {
  /// Random: one that stands alone, and one for each four octets and for the octet that is left.
  private let factors: InlineArray<10, UInt64>

  init() {
    var generator = SystemRandomNumberGenerator()
    factors = InlineArray { _ in generator.next() }
  }

  /// The number of a name's octets.
  func number(_ name: RawSpan) -> UInt32 {
    precondition(name.byteCount == SecretName.length)
    var sum = factors[0]
    for index in 0..<8 { sum &+= factors[index + 1] &* UInt64(name.bigEndian32(within: 4 &* index)) }
    sum &+= factors[9] &* UInt64(name.octet(within: 32))
    return UInt32(truncatingIfNeeded: sum >> 32)
  }
}
