/// A line of a key log that gives a secret (RFC 9850 §2): label, name and secret, separated by spaces. Name and secret are in hexadecimal
/// digits. OpenSSL's older `RSA Session-ID:… Master-Key:…` is read, too.
struct KeyLogLine {
  var label: SecretLabel
  var name: SecretName
  private(set) var secret: InlineArray<64, UInt8> = .init(repeating: 0)
  private(set) var secretLength: Int

  /// Nil if the line gives no secret that can open records: a comment, an unknown label, or wrong digits.
  init?(_ line: RawSpan) {
    var end = line.byteCount
    while end > 0, line.octet(end - 1) == 0x0d || line.octet(end - 1) == 0x20 { end -= 1 }
    guard end > 0, line.octet(0) != 0x23 else { return nil }
    guard let first = line.firstOffset(of: 0x20, in: 0..<end),
      let second = line.firstOffset(of: 0x20, in: first + 1..<end)
    else { return nil }
    self.init(line, label: 0..<first, name: first + 1..<second, secret: second + 1..<end)
  }

  /// Nil if the parts of a line give no secret that can open records.
  init?(_ line: RawSpan, label labelRange: Range<Int>, name: Range<Int>, secret: Range<Int>) {
    guard let label = SecretLabel(line.extracting(labelRange)) else { return nil }
    var nameRange = name
    var secretRange = secret
    var kind = SecretName.Kind.random
    self.label = label
    if label == .premaster {
      kind = .encryptedPremaster
      let session: StaticString = "Session-ID:"
      let master: StaticString = "Master-Key:"
      if line.extracting(nameRange).starts(with: session), line.extracting(secretRange).starts(with: master) {
        nameRange = nameRange.lowerBound + session.utf8CodeUnitCount..<nameRange.upperBound
        secretRange = secretRange.lowerBound + master.utf8CodeUnitCount..<secretRange.upperBound
        kind = .session
        self.label = .master
      }
    }
    var octets: InlineArray<64, UInt8> = .init(repeating: 0)
    guard let nameLength = line.digits(in: nameRange, to: &octets),
      let name = octets.withOctets({ SecretName(kind, $0.extracting(0..<nameLength)) }),
      let secretLength = line.digits(in: secretRange, to: &self.secret), secretLength > 0
    else { return nil }
    self.name = name
    self.secretLength = secretLength
  }
}

extension RawSpan {
  /// Decodes pairs of hexadecimal digits into octets. Returns the number of octets; nil if there are too many, or one is no digit.
  fileprivate func digits(in range: Range<Int>, to octets: inout InlineArray<64, UInt8>) -> Int? {
    guard range.count % 2 == 0, range.count <= 128 else { return nil }
    var index = 0
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound {
      guard let four = HexadecimalDigits.value(littleEndian64(offset)) else { return nil }
      for byte in 0..<4 { octets[index + byte] = UInt8(truncatingIfNeeded: four >> UInt32(8 * byte)) }
      index += 4
      offset += 8
    }
    while offset < range.upperBound {
      // Six digits 0, and then the pair.
      let pair = UInt64(octet(offset)) << 48 | UInt64(octet(offset + 1)) << 56 | 0x0000_3030_3030_3030
      guard let four = HexadecimalDigits.value(pair) else { return nil }
      octets[index] = UInt8(truncatingIfNeeded: four >> 24)
      index += 1
      offset += 2
    }
    return index
  }
}

/// Hexadecimal digits, eight in a word: a key log of a million lines has some 200 million of them.
enum HexadecimalDigits {
  /// The four octets that eight digits stand for, the first one lowest in both; nil if one is no digit.
  static func value(_ digits: UInt64) -> UInt32? {
    // Letters of either case have bit 6; lower-case letters have bit 5, too.
    let letters = (digits & 0x4040_4040_4040_4040) >> 6
    let lower = digits | letters << 5
    let low = lower & 0x0f0f_0f0f_0f0f_0f0f
    let values = low &+ letters &* 9
    let isInRange =
      lower & 0xf0f0_f0f0_f0f0_f0f0 == 0x3030_3030_3030_3030 &+ letters &* 0x30
      && values & 0xf0f0_f0f0_f0f0_f0f0 == 0
      && (values &+ 0x0606_0606_0606_0606) & 0x1010_1010_1010_1010 == letters << 4
    guard isInRange else { return nil }
    var octets = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff
    octets = (octets | octets >> 8) & 0x0000_ffff_0000_ffff
    return UInt32(truncatingIfNeeded: octets | octets >> 16)
  }
}

/// The purpose of a secret in a key log (RFC 9850 §2, and the older lines of NSS and OpenSSL).
enum SecretLabel: UInt8 {
  /// The master secret of TLS up to 1.2.
  case master
  case clientEarlyTraffic
  case clientHandshakeTraffic
  case serverHandshakeTraffic
  case clientTraffic
  case serverTraffic
  /// The pre-master secret of RSA key exchange, from which the master secret is made.
  case premaster

  /// The number of octets of the longest label.
  static let longest = 31

  /// The label of a line that names its secret by the client's random, or by the encrypted pre-master secret (`RSA`). Nil if the secret
  /// opens no record.
  init?(_ label: RawSpan) {
    // Length and first octet leave one candidate.
    let known: (label: SecretLabel, text: StaticString)
    switch (label.byteCount, label.byteCount > 0 ? label.octet(0) : 0) {
    case (13, _): known = (.master, "CLIENT_RANDOM")
    case (27, _): known = (.clientEarlyTraffic, "CLIENT_EARLY_TRAFFIC_SECRET")
    case (31, 0x43): known = (.clientHandshakeTraffic, "CLIENT_HANDSHAKE_TRAFFIC_SECRET")
    case (31, _): known = (.serverHandshakeTraffic, "SERVER_HANDSHAKE_TRAFFIC_SECRET")
    case (23, 0x43): known = (.clientTraffic, "CLIENT_TRAFFIC_SECRET_0")
    case (23, _): known = (.serverTraffic, "SERVER_TRAFFIC_SECRET_0")
    case (3, _): known = (.premaster, "RSA")
    default: return nil
    }
    guard label.starts(with: known.text) else { return nil }
    self = known.label
  }
}

extension SecretLabel {
  /// The label of a line that names its secret by the client's random. The pre-master secret has none and is never written.
  var name: String {
    switch self {
    case .master, .premaster: "CLIENT_RANDOM"
    case .clientEarlyTraffic: "CLIENT_EARLY_TRAFFIC_SECRET"
    case .clientHandshakeTraffic: "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
    case .serverHandshakeTraffic: "SERVER_HANDSHAKE_TRAFFIC_SECRET"
    case .clientTraffic: "CLIENT_TRAFFIC_SECRET_0"
    case .serverTraffic: "SERVER_TRAFFIC_SECRET_0"
    }
  }
}

extension RawSpan {
  /// Whether the octets start with a text.
  func starts(with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard byteCount >= length else { return false }
    return text.withUTF8Buffer { text in
      for index in 0..<length where unsafe octet(index) != text[index] { return false }
      return true
    }
  }
}

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
