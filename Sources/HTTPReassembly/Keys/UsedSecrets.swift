/// The secrets that records were opened with since they were asked for, as lines of a key log (RFC 9850): for who saves them beside the
/// packets. Secrets of a log that opened nothing are not among them.
struct UsedSecrets {
  /// Whether anybody asks for them.
  var isWanted = false
  private var lines: [UInt8] = []

  /// A record was opened with a secret, which a log names by a ClientHello's random.
  mutating func note(_ label: SecretLabel, ofRandom random: SecretName, _ secret: RawSpan) {
    guard isWanted else { return }
    lines += Array(label.name.utf8)
    lines.append(0x20)
    random.withOctets { append($0.extracting(1..<$0.byteCount)) }
    lines.append(0x20)
    append(secret)
    lines.append(0x0a)
  }

  private mutating func append(_ octets: RawSpan) {
    for offset in 0..<octets.byteCount {
      let octet = octets.octet(offset)
      for digit in [octet >> 4, octet & 0xf] { lines.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
  }

  /// Lends the lines, and forgets them.
  mutating func take(_ body: (RawSpan) -> Void) {
    guard !lines.isEmpty else { return }
    lines.withOctets(body)
    for index in lines.indices { lines[index] = 0 }
    lines.removeAll(keepingCapacity: true)
  }
}
