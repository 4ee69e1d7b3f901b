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

  /// The standard library's hasher is seeded per process, so that nobody can prepare colliding names.
  var hash: Int {
    var hasher = Hasher()
    withOctets { $0.hash(into: &hasher) }
    return hasher.finalize()
  }
}
