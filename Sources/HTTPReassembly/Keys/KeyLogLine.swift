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
