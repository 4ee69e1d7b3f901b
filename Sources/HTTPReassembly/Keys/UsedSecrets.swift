/// The secrets that opened records since they were last taken, as lines of a key log (RFC 9850). They are for saving beside the packets.
/// Secrets that opened nothing are not among them.
struct UsedSecrets {
  /// Whether the secrets are to be collected.
  var isWanted = false
  private var lines: [UInt8] = []

  /// Adds a secret that opened a record; the log names it by a ClientHello's random.
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

  /// Lends the lines to `body`, and erases them.
  mutating func take(_ body: (RawSpan) -> Void) {
    guard !lines.isEmpty else { return }
    lines.withOctets(body)
    for index in lines.indices { lines[index] = 0 }
    lines.removeAll(keepingCapacity: true)
  }
}
