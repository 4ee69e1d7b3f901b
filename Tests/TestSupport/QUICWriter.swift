import Cryptography
import HTTPReassembly

/// Writes the packets of both sides of a QUIC connection, with secrets of its own (RFC 9000, RFC 9001).
///
/// It negotiates nothing, and waits for nothing. Its protection is written after the RFCs, apart from that of the program.
package struct QUICWriter: Sendable {
  package enum Level: Int, Sendable {
    case initial
    case early
    case handshake
    case application
  }

  /// The lines of the key log.
  package private(set) var log = ""
  package let clientID: [UInt8]
  package let serverID: [UInt8]
  /// The ID that the client's first packets go to.
  package let firstID: [UInt8]
  private let suite: UInt16
  private let seed: UInt8
  private let random: [UInt8]
  private var secrets: [Int: [UInt8]] = [:]
  private var phases: [Peer: Int] = [:]
  /// The number of the next packet, by space and peer.
  package var numbers: [Int: Int] = [:]
  /// Whether the fixed bit of all packets but the client's first ones is 0 (RFC 9287).
  package var isGreased = false

  /// A connection that differs from those with other seeds. `suite` is 0x1301 (AES-128-GCM) or 0x1303 (ChaCha20-Poly1305).
  package init(seed: UInt8, suite: UInt16 = 0x1303, clientID: [UInt8]? = nil) {
    self.seed = seed
    self.suite = suite
    random = (0..<32).map { seed &* 31 &+ UInt8($0) }
    firstID = (0..<8).map { seed &* 3 &+ UInt8($0) }
    self.clientID = clientID ?? (0..<8).map { seed &* 5 &+ 64 &+ UInt8($0) }
    serverID = (0..<8).map { seed &* 7 &+ 128 &+ UInt8($0) }
    for (level, peer, label) in [
      (Level.early, Peer.client, "CLIENT_EARLY_TRAFFIC_SECRET"),
      (.handshake, .client, "CLIENT_HANDSHAKE_TRAFFIC_SECRET"),
      (.handshake, .server, "SERVER_HANDSHAKE_TRAFFIC_SECRET"), (.application, .client, "CLIENT_TRAFFIC_SECRET_0"),
      (.application, .server, "SERVER_TRAFFIC_SECRET_0"),
    ] {
      let number = label.utf8.reduce(seed) { $0 &* 33 &+ $1 }
      let secret = (0..<32).map { number &+ UInt8($0) &* 7 }
      secrets[key(level, peer)] = secret
      log += "\(label) \(Self.digits(random)) \(Self.digits(secret))\n"
    }
  }

  private static func digits(_ octets: [UInt8]) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func key(_ level: Level, _ peer: Peer) -> Int { level.rawValue * 2 + (peer == .client ? 0 : 1) }

  // MARK: Frames

  /// An integer of variable length (RFC 9000 §16).
  package static func integer(_ value: Int) -> [UInt8] {
    if value < 64 { return [UInt8(value)] }
    if value < 1 << 14 { return [0x40 | UInt8(value >> 8), UInt8(value & 0xff)] }
    let octets = (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * (7 - $0))) }
    return [octets[0] | 0xc0] + octets[1...]
  }

  package static func crypto(_ octets: [UInt8], at position: Int = 0) -> [UInt8] {
    [6] + integer(position) + integer(octets.count) + octets
  }

  package static func stream(_ id: Int, _ octets: [UInt8], at position: Int = 0, isLast: Bool = false) -> [UInt8] {
    [isLast ? 0x0f : 0x0e] + integer(id) + integer(position) + integer(octets.count) + octets
  }

  package static func acknowledgment(_ largest: Int) -> [UInt8] { [2] + integer(largest) + [0, 0, 0] }

  // MARK: Handshake

  /// A ClientHello that offers one protocol.
  package func clientHello(host: String, protocolName: String = "h3", offersEarlyData: Bool = false) -> [UInt8] {
    var extensions = Self.extension(0, Self.counted([0] + Self.counted(Array(host.utf8))))
    extensions += Self.extension(16, Self.counted([UInt8(protocolName.utf8.count)] + Array(protocolName.utf8)))
    extensions += Self.extension(43, [2, 3, 4])
    if offersEarlyData { extensions += Self.extension(42, []) }
    return TLSWriter.message(
      1, [3, 3] + random + [0] + Self.counted(suite.octets) + [1, 0] + Self.counted(extensions))
  }

  package func serverHello() -> [UInt8] {
    TLSWriter.message(
      2,
      [3, 3] + [UInt8](repeating: seed, count: 32) + [0] + suite.octets + [0]
        + Self.counted(Self.extension(43, [3, 4])))
  }

  /// The server's messages in Handshake packets. `preferredID` belongs to an address that the server prefers.
  package func serverFlight(
    protocolName: String = "h3", acceptsEarlyData: Bool = false, resetToken: [UInt8] = [], preferredID: [UInt8] = []
  ) -> [UInt8] {
    var extensions = Self.extension(
      16, Self.counted([UInt8(protocolName.utf8.count)] + Array(protocolName.utf8)))
    if acceptsEarlyData { extensions += Self.extension(42, []) }
    // max_idle_timeout comes first.
    var parameters: [UInt8] = [1, 1, 30]
    if !preferredID.isEmpty {
      let address = [UInt8](repeating: 1, count: 24) + [UInt8(preferredID.count)] + preferredID
      parameters += [13, UInt8(address.count + 16)] + address + [UInt8](repeating: 4, count: 16)
    }
    if !resetToken.isEmpty { parameters += [2, UInt8(resetToken.count)] + resetToken }
    if parameters.count > 3 { extensions += Self.extension(57, parameters) }
    return TLSWriter.message(8, Self.counted(extensions)) + TLSWriter.message(11, [UInt8](repeating: 0x63, count: 300))
      + finished()
  }

  package func finished() -> [UInt8] { TLSWriter.message(20, [UInt8](repeating: 0x66, count: 32)) }

  private static func counted(_ octets: [UInt8]) -> [UInt8] { UInt16(octets.count).octets + octets }
  private static func `extension`(_ type: UInt8, _ octets: [UInt8]) -> [UInt8] { [0, type] + counted(octets) }

  // MARK: Packets

  /// Updates the keys of a side's further packets (RFC 9001 §6).
  package mutating func updateKeys(_ peer: Peer) {
    let key = key(.application, peer)
    secrets[key] = secrets[key].map { Self.expand("quic ku", $0, 32) }
    phases[peer, default: 0] += 1
  }

  /// A protected packet. Its number is the next one of its space, unless given. `id` is another one of the receiver's.
  package mutating func packet(
    _ peer: Peer, _ level: Level, _ frames: [UInt8], number given: Int? = nil, numberLength: Int = 2,
    to id: [UInt8]? = nil
  ) -> [UInt8] {
    let space = (level == .early ? Level.application : level).rawValue * 2 + (peer == .client ? 0 : 1)
    let number = given ?? numbers[space, default: 0]
    numbers[space] = max(numbers[space, default: 0], number + 1)
    // There must be enough octets for a sample.
    let plain = frames + [UInt8](repeating: 0, count: max(4 - frames.count, 0))
    let truncated = (0..<numberLength).map { UInt8(truncatingIfNeeded: number >> (8 * (numberLength - 1 - $0))) }
    let (own, other) = peer == .client ? (clientID, serverID) : (serverID, clientID)
    let isFirst = level == .initial || level == .early
    let target = id ?? (peer == .client && isFirst ? firstID : other)
    var header: [UInt8]
    if level == .application {
      header = [0x40 | UInt8(phases[peer, default: 0] % 2) << 2 | UInt8(numberLength - 1)] + target
    } else {
      header = [0xc0 | UInt8(level.rawValue) << 4 | UInt8(numberLength - 1), 0, 0, 0, 1]
      header += [UInt8(target.count)] + target + [UInt8(own.count)] + own
      if level == .initial { header += [0] }
      let length = numberLength + plain.count + 16
      header += [0x40 | UInt8(length >> 8), UInt8(length & 0xff)]
    }
    if isGreased, peer == .server || !isFirst { header[0] &= 0xbf }
    let start = header.count
    header += truncated
    let isAES = level == .initial || suite == 0x1301
    let secret = level == .initial ? initialSecret(peer) : secrets[key(level, peer)] ?? []
    let cipher = Self.expand("quic key", secret, isAES ? 16 : 32)
    var nonce = Self.expand("quic iv", secret, 12)
    for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * index)) }
    let sealed =
      isAES
      ? AESGCM(key: cipher).seal(plain, nonce: nonce, additional: header)
      : ChaCha20Poly1305(key: cipher).seal(plain, nonce: nonce, additional: header)
    var packet = header + sealed
    // The header's key does not change with an update.
    let headerKey = Self.expand("quic hp", level == .application ? first(peer) : secret, isAES ? 16 : 32)
    let sample = Array(packet[start + 4..<start + 20])
    guard let protection = headerKey.withOctets({ HeaderCipher(isAES ? .aes128GCM : .chaCha20Poly1305, key: $0) }),
      let mask = sample.withOctets({ protection.mask(of: $0) })
    else { return packet }
    packet[0] ^= mask[0] & (level == .application ? 0x1f : 0x0f)
    for index in 0..<numberLength { packet[start + index] ^= mask[1 + index] }
    return packet
  }

  /// The first secret of a side's application packets.
  private func first(_ peer: Peer) -> [UInt8] { QUICWriter(seed: seed).secrets[key(.application, peer)] ?? [] }

  private func initialSecret(_ peer: Peer) -> [UInt8] {
    let salt: [UInt8] = [
      0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc, 0xbb, 0x7f,
      0x0a,
    ]
    var common = MACOctets()
    _ = salt.withOctets { salt in
      firstID.withOctets { DigestAlgorithm.sha256.authenticate($0, key: salt, to: &common) }
    }
    return Self.expand(peer == .client ? "client in" : "server in", common.withOctets { $0.array }, 32)
  }

  private static func expand(_ label: StaticString, _ secret: [UInt8], _ length: Int) -> [UInt8] {
    secret.withOctets { KeyDerivation.expandLabel(label, of: $0, .sha256, length: length) }?
      .withOctets { $0.array } ?? []
  }
}

/// Seals octets with AES-128 in Galois/Counter Mode (NIST SP 800-38D). The library can only open them.
private struct AESGCM {
  private let cipher: HeaderCipher?

  init(key: [UInt8]) { cipher = key.withOctets { HeaderCipher(.aes128GCM, key: $0) } }

  private func encrypt(_ block: [UInt8]) -> [UInt8] {
    guard let made = block.withOctets({ cipher?.mask(of: $0) }) else { return block }
    return (0..<16).map { made[$0] }
  }

  func seal(_ octets: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8] {
    func counter(_ number: Int) -> [UInt8] {
      nonce + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * (3 - $0))) }
    }
    var sealed: [UInt8] = []
    for (index, start) in stride(from: 0, to: octets.count, by: 16).enumerated() {
      let stream = encrypt(counter(index + 2))
      for offset in start..<min(start + 16, octets.count) { sealed.append(octets[offset] ^ stream[offset - start]) }
    }
    func padded(_ part: [UInt8]) -> [UInt8] { part + [UInt8](repeating: 0, count: (16 - part.count % 16) % 16) }
    func bits(_ count: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: (count * 8) >> (8 * (7 - $0))) } }
    let covered = padded(additional) + padded(sealed) + bits(additional.count) + bits(sealed.count)
    let hash = Self.hash(covered, key: encrypt([UInt8](repeating: 0, count: 16)))
    return sealed + zip(hash, encrypt(counter(1))).map { $0 ^ $1 }
  }

  private static func hash(_ octets: [UInt8], key: [UInt8]) -> [UInt8] {
    func number(_ octets: ArraySlice<UInt8>) -> UInt128 { octets.reduce(0) { $0 << 8 | UInt128($1) } }
    let factor = number(key[...])
    var sum: UInt128 = 0
    for start in stride(from: 0, to: octets.count, by: 16) {
      let value = sum ^ number(octets[start..<start + 16])
      var (product, shifted) = (UInt128(0), factor)
      for bit in 0..<128 {
        if value >> UInt128(127 - bit) & 1 == 1 { product ^= shifted }
        shifted = shifted & 1 == 1 ? shifted >> 1 ^ (0xe1 << 120) : shifted >> 1
      }
      sum = product
    }
    return (0..<16).map { UInt8(truncatingIfNeeded: sum >> UInt128(8 * (15 - $0))) }
  }
}

extension UInt16 {
  fileprivate var octets: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xff)] }
}

extension RawSpan {
  fileprivate var array: [UInt8] { (0..<byteCount).map { octet($0) } }
}

extension TestPacket {
  /// A datagram of UDP over IPv4 in a frame of Ethernet. Checksums are not looked at.
  package static func datagram(
    _ payload: [UInt8], from source: (address: [UInt8], port: Int), to destination: (address: [UInt8], port: Int),
    at timestamp: Int64, captured: Int = .max
  ) -> TestPacket {
    func two(_ number: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] }
    var octets: [UInt8] = [UInt8](repeating: 2, count: 12) + [8, 0]
    octets += [0x45, 0] + two(28 + payload.count) + [0, 0, 0x40, 0, 64, 17, 0, 0]
    octets += source.address + destination.address + two(source.port) + two(destination.port)
    octets += two(8 + payload.count) + [0, 0] + payload
    return TestPacket(
      timestamp: timestamp, octets: Array(octets[..<min(octets.count, captured)]), originalLength: octets.count,
      linkType: .ethernet)
  }
}

extension QUICWriter {
  /// The datagrams of a whole handshake.
  package static func opening(
    _ writer: inout QUICWriter, host: String = "www.example.com", protocolName: String = "h3", resetToken: [UInt8] = [],
    preferredID: [UInt8] = []
  ) -> [(peer: Peer, octets: [UInt8])] {
    let hello = writer.clientHello(host: host, protocolName: protocolName)
    let padding = [UInt8](repeating: 0, count: 900)
    let first = writer.packet(.client, .initial, crypto(hello) + padding)
    let answer = writer.packet(.server, .initial, acknowledgment(0) + crypto(writer.serverHello()))
    let messages = writer.serverFlight(
      protocolName: protocolName, resetToken: resetToken, preferredID: preferredID)
    let flight = writer.packet(.server, .handshake, crypto(messages))
    let end = writer.packet(.client, .handshake, acknowledgment(0) + crypto(writer.finished()))
    return [(.client, first), (.server, answer + flight), (.client, end)]
  }
}
