/// A line of a key log that gives a secret (RFC 9850 §2): a label, what names the connection, and the secret, in hexadecimal digits and
/// separated by a space. OpenSSL's older `RSA Session-ID:… Master-Key:…` is one, too.
struct KeyLogLine {
  var label: SecretLabel
  var name: SecretName
  private(set) var secret: InlineArray<64, UInt8> = .init(repeating: 0)
  private(set) var secretLength: Int

  /// Nil for a line that gives no secret that records can be opened with: a comment, an unknown label, digits that are none.
  init?(_ line: RawSpan) {
    var end = line.byteCount
    while end > 0, line.octet(end - 1) == 0x0d || line.octet(end - 1) == 0x20 { end -= 1 }
    guard end > 0, line.octet(0) != 0x23 else { return nil }
    guard let first = line.space(in: 0..<end), let second = line.space(in: first + 1..<end),
      let label = SecretLabel(line.extracting(0..<first))
    else { return nil }
    var nameRange = first + 1..<second
    var secretRange = second + 1..<end
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
      let secretLength = line.digits(in: secretRange, to: &secret), secretLength > 0
    else { return nil }
    self.name = name
    self.secretLength = secretLength
  }
}

extension RawSpan {
  fileprivate func space(in range: Range<Int>) -> Int? {
    for offset in range where octet(offset) == 0x20 { return offset }
    return nil
  }

  /// Writes the octets that pairs of hexadecimal digits stand for. Returns how many; nil when there are too many, or one is no digit.
  fileprivate func digits(in range: Range<Int>, to octets: inout InlineArray<64, UInt8>) -> Int? {
    guard range.count % 2 == 0, range.count <= 128 else { return nil }
    var bad: UInt8 = 0
    for index in 0..<range.count / 2 {
      let high = octet(range.lowerBound + 2 * index).hexadecimalValue
      let low = octet(range.lowerBound + 2 * index + 1).hexadecimalValue
      bad |= high | low
      octets[index] = high << 4 | low & 0x0f
    }
    return bad & 0xf0 == 0 ? range.count / 2 : nil
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit; 0xff for an octet that is none.
  @inline(__always)
  fileprivate var hexadecimalValue: UInt8 {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: 0xff
    }
  }
}
