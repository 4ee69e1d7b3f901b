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
