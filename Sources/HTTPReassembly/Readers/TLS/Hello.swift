/// Assembles the handshake messages of one direction, which lie in records in any pieces (RFC 8446 §4, §5.1).
///
/// Only the type of most messages is needed. The octets of a hello are kept until it is complete, up to a limit.
struct HandshakeMessages {
  /// A message's type (IANA, "TLS HandshakeType").
  enum Kind {
    static let clientHello: UInt8 = 1
    static let serverHello: UInt8 = 2
    static let newSessionTicket: UInt8 = 4
    static let endOfEarlyData: UInt8 = 5
    static let encryptedExtensions: UInt8 = 8
    static let certificate: UInt8 = 11
    static let serverHelloDone: UInt8 = 14
    static let clientKeyExchange: UInt8 = 16
    static let finished: UInt8 = 20
    static let keyUpdate: UInt8 = 24
    /// The largest number with a meaning, except 254.
    static let last: UInt8 = 25
  }

  /// The maximum number of octets of a message whose content is needed.
  ///
  /// A ClientHello with several shares of post-quantum keys has some 4 KiB. TLS libraries take no more than this limit.
  static let lengthLimit = 64 << 10

  private var header: InlineArray<4, UInt8> = .init(repeating: 0)
  private var headerCount: UInt8 = 0
  /// Octets of the message still to come.
  private var remaining: Int32 = 0
  private var keeps = false
  /// Whether the records contain something other than messages. No more of them is read then.
  private(set) var isLost = false
  /// The content of the last message, if it is needed and not too long.
  private(set) var content: [UInt8] = []

  /// Whether a message has begun, but not ended.
  var isWithin: Bool { headerCount > 0 }

  /// Octets of memory on the heap.
  var memory: Int { content.isEmpty ? 0 : content.capacity + 32 }

  /// Reads from `offset` to the end of a message. Returns its type; nil when the octets end before, or are not a message.
  mutating func next(_ octets: RawSpan, _ offset: inout Int) -> UInt8? {
    while !isLost, offset < octets.byteCount || headerCount == 4 {
      if headerCount < 4 {
        if headerCount == 0 { content = [] }
        header[Int(headerCount)] = octets.octet(offset)
        headerCount += 1
        offset += 1
        guard headerCount == 4 else { continue }
        remaining = Int32(header[1]) << 16 | Int32(header[2]) << 8 | Int32(header[3])
        isLost = header[0] > Kind.last && header[0] != 254
        keeps = wants(header[0]) && Int(remaining) <= Self.lengthLimit
        continue
      }
      let count = min(Int(remaining), octets.byteCount - offset)
      if keeps { octets.append(offset..<offset + count, to: &content) }
      remaining -= Int32(count)
      offset += count
      guard remaining == 0 else { return nil }
      headerCount = 0
      return header[0]
    }
    return nil
  }

  private func wants(_ type: UInt8) -> Bool {
    switch type {
    case Kind.clientHello, Kind.serverHello, Kind.encryptedExtensions, Kind.clientKeyExchange, Kind.newSessionTicket:
      true
    default: false
    }
  }

  /// Forgets an incomplete message after lost or unopened octets. The next handshake record starts a message.
  mutating func lose() { self = HandshakeMessages() }

  /// Frees the memory of the last message.
  mutating func release() { content = [] }
}

/// The relevant parts of a ClientHello or a ServerHello (RFC 8446 §4.1, RFC 5246 §7.4.1).
///
/// Ranges count octets from its start. No length in it is trusted, and a part that does not fit its length is omitted.
struct Hello {
  /// `legacy_version`, or the choice of the extension supported_versions.
  var version: UInt16
  var random: InlineArray<32, UInt8> = .init(repeating: 0)
  var session: InlineArray<32, UInt8> = .init(repeating: 0)
  var sessionLength = 0
  /// The suite that the server chose; 0 for a client.
  var suite: UInt16 = 0
  /// The range of the name in server_name (RFC 6066 §3); empty without one.
  var serverName = 0..<0
  /// The range of the only or first protocol in ALPN (RFC 7301 §3.1); empty without one.
  var protocolName = 0..<0
  /// The range of the content of session_ticket (RFC 5077 §3.2); empty without one, or if a ticket is only requested.
  var ticket = 0..<0
  /// The range of the content of quic_transport_parameters (RFC 9001 §8.2); empty without it.
  var transportParameters = 0..<0
  var extensions: Extensions = []

  /// Extensions whose presence has a meaning.
  struct Extensions: OptionSet {
    let rawValue: UInt8
    /// pre_shared_key (41). From a server, it means that the session is resumed.
    static let preSharedKey = Extensions(rawValue: 1 << 0)
    /// early_data (42). From a client, it announces early data; in EncryptedExtensions, it accepts early data.
    static let earlyData = Extensions(rawValue: 1 << 1)
    /// encrypt_then_mac (RFC 7366).
    static let encryptThenMAC = Extensions(rawValue: 1 << 2)
    /// encrypted_client_hello (RFC 9849). The name in clear is the public one, or may be.
    static let encryptedClientHello = Extensions(rawValue: 1 << 3)
    /// extended_master_secret (RFC 7627). The pre-master secret alone does not give the master secret.
    static let extendedMasterSecret = Extensions(rawValue: 1 << 4)
  }

  /// Whether octets begin with a record that begins with a hello of either side.
  static func starts(_ octets: RawSpan) -> Bool {
    guard octets.byteCount > TLSRecords.headerLength else { return false }
    var header: InlineArray<5, UInt8> = .init(repeating: 0)
    for index in 0..<TLSRecords.headerLength { header[index] = octets.octet(index) }
    let type = octets.octet(TLSRecords.headerLength)
    return header[0] == TLSSide.ContentType.handshake && TLSRecords.length(header) != nil
      && (type == HandshakeMessages.Kind.clientHello || type == HandshakeMessages.Kind.serverHello)
  }

  /// Returns nil for a message that ends too early.
  init?(_ octets: RawSpan, isClient: Bool) {
    guard octets.byteCount >= 35 else { return nil }
    version = octets.bigEndian16(0)
    for index in 0..<32 { random[index] = octets.octet(2 + index) }
    var offset = 35
    sessionLength = Int(octets.octet(34))
    guard sessionLength <= 32, octets.byteCount >= offset + sessionLength + 2 else { return nil }
    for index in 0..<sessionLength { session[index] = octets.octet(offset + index) }
    offset += sessionLength
    if isClient {
      offset += 2 + Int(octets.bigEndian16(offset))
      guard octets.byteCount > offset else { return nil }
      offset += 1 + Int(octets.octet(offset))
    } else {
      guard octets.byteCount >= offset + 3 else { return nil }
      suite = octets.bigEndian16(offset)
      offset += 3
    }
    // Before TLS 1.3, extensions are optional.
    guard octets.byteCount >= offset + 2 else { return }
    let end = min(offset + 2 + Int(octets.bigEndian16(offset)), octets.byteCount)
    read(octets, extensionsIn: offset + 2..<end, isClient: isClient)
  }

  /// The extensions of EncryptedExtensions (RFC 8446 §4.3.1).
  init(encryptedExtensions octets: RawSpan) {
    version = 0
    guard octets.byteCount >= 2 else { return }
    read(octets, extensionsIn: 2..<min(2 + Int(octets.bigEndian16(0)), octets.byteCount), isClient: false)
  }

  private mutating func read(_ octets: RawSpan, extensionsIn range: Range<Int>, isClient: Bool) {
    var offset = range.lowerBound
    while offset + 4 <= range.upperBound {
      let type = octets.bigEndian16(offset)
      let length = Int(octets.bigEndian16(offset + 2))
      offset += 4
      guard offset + length <= range.upperBound else { return }
      let content = offset..<offset + length
      offset += length
      switch type {
      case 0 where isClient: readServerName(octets, content)
      case 16: readProtocols(octets, content)
      case 22: extensions.insert(.encryptThenMAC)
      case 23: extensions.insert(.extendedMasterSecret)
      case 35 where isClient: ticket = content
      case 41: extensions.insert(.preSharedKey)
      case 42: extensions.insert(.earlyData)
      case 43 where !isClient && length == 2: version = octets.bigEndian16(content.lowerBound)
      // Drafts of QUIC used the second number.
      case 57, 0xffa5: transportParameters = content
      case 0xfe0d: extensions.insert(.encryptedClientHello)
      default: break
      }
    }
  }

  private mutating func readServerName(_ octets: RawSpan, _ range: Range<Int>) {
    guard range.count >= 5, octets.octet(range.lowerBound + 2) == 0 else { return }
    let start = range.lowerBound + 5
    let length = Int(octets.bigEndian16(range.lowerBound + 3))
    // A host name has at most 255 octets (RFC 1035 §2.3.4).
    guard 1...255 ~= length, start + length <= range.upperBound else { return }
    serverName = start..<start + length
  }

  private mutating func readProtocols(_ octets: RawSpan, _ range: Range<Int>) {
    guard range.count >= 3 else { return }
    let start = range.lowerBound + 3
    let length = Int(octets.octet(range.lowerBound + 2))
    guard length > 0, start + length <= range.upperBound else { return }
    protocolName = start..<start + length
  }

  /// The name that the client requests, in lower case; nil without one.
  func hostName(in content: [UInt8]) -> [UInt8]? {
    serverName.isEmpty ? nil : content[serverName].map(\.lowercased)
  }

  /// Whether it is a HelloRetryRequest, a ServerHello with this random (RFC 8446 §4.1.3).
  var isRetryRequest: Bool {
    for index in 0..<32 where random[index] != Self.retryRandom[index] { return false }
    return true
  }

  /// SHA-256 of "HelloRetryRequest".
  private static let retryRandom: [UInt8] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11,
    0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
  ]
}
