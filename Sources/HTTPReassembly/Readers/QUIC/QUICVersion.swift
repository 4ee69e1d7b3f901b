/// The versions of QUIC that can be opened: 1 (RFC 9000), 2 (RFC 9369) and the last drafts.
struct QUICVersion: Equatable {
  /// The number on the wire.
  let number: UInt32
  /// Octets that give the secret of Initial packets, with the client's first destination connection ID (RFC 9001 §5.2).
  let salt: [UInt8]
  /// Whether packet types and labels follow version 2.
  let isSecond: Bool

  /// The labels of its keys.
  var labels: TrafficKeys.Labels { isSecond ? .secondQUIC : .quic }

  /// Returns nil for every other version.
  init?(_ number: UInt32) {
    self.number = number
    isSecond = number == 0x6b33_43cf
    switch number {
    case 1: salt = Self.firstSalt
    case 0x6b33_43cf: salt = Self.secondSalt
    case 0xff00_001d: salt = Self.salt29
    case 0xff00_001b, 0xff00_001c: salt = Self.salt27
    default: return nil
    }
  }

  /// Whether packets of a version can be opened.
  static func isKnown(_ number: UInt32) -> Bool {
    number == 1 || number == 0x6b33_43cf || number >= 0xff00_001b && number <= 0xff00_001d
  }

  /// RFC 9001 §5.2.
  private static let firstSalt: [UInt8] = [
    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f,
    0x0a,
  ]
  /// RFC 9369 §3.3.1.
  private static let secondSalt: [UInt8] = [
    0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9, 0xbd, 0x2e,
    0xd9,
  ]
  /// draft-ietf-quic-tls-29 §5.2; drafts 29 to 32 share it.
  private static let salt29: [UInt8] = [
    0xaf, 0xbf, 0xec, 0x28, 0x99, 0x93, 0xd2, 0x4c, 0x9e, 0x97, 0x86, 0xf1, 0x9c, 0x61, 0x11, 0xe0, 0x43, 0x90, 0xa8,
    0x99,
  ]
  /// draft-ietf-quic-tls-27 §5.2; drafts 23 to 28 share it.
  private static let salt27: [UInt8] = [
    0xc3, 0xee, 0xf7, 0x12, 0xc7, 0x2e, 0xbb, 0x5a, 0x11, 0xa7, 0xd2, 0x43, 0x2b, 0xb4, 0x63, 0x65, 0xbe, 0xf9, 0xf5,
    0x02,
  ]
}
