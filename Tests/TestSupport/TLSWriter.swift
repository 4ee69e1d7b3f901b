import Cryptography

/// Writes what both sides of a TLS connection send, with secrets of its own: hellos, and records under their keys.
///
/// It negotiates nothing. Certificates and ends of handshakes have any octets, because no observer can check them.
package struct TLSWriter: Sendable {
  /// The protection of one side's records under one secret.
  package struct Keys: Sendable {
    private let cipher: ChaCha20Poly1305
    private let initial: [UInt8]
    /// The number of the next record.
    package var sequence: UInt64 = 0

    fileprivate init(key: [UInt8], initial: [UInt8]) {
      cipher = ChaCha20Poly1305(key: key)
      self.initial = initial
    }

    fileprivate mutating func seal(_ octets: [UInt8], additional: [UInt8]) -> [UInt8] {
      var nonce = initial
      for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(8 * (7 - index))) }
      sequence += 1
      return cipher.seal(octets, nonce: nonce, additional: additional)
    }
  }

  /// 0x0303 or 0x0304.
  package let version: UInt16
  /// The lines of the key log.
  package private(set) var log = ""
  /// The keys with which each side protects its next records.
  package var keys: [Peer: Keys] = [:]
  /// The secrets of TLS 1.3 that the keys come from.
  private var secrets: [Peer: [UInt8]] = [:]
  private let random: [UInt8]
  private let serverRandom: [UInt8]
  private let seed: UInt8

  /// A connection that differs from those with other seeds.
  package init(version: UInt16, seed: UInt8) {
    self.version = version
    self.seed = seed
    random = (0..<32).map { seed &* 31 &+ UInt8($0) }
    serverRandom = (0..<32).map { seed &* 37 &+ 101 &+ UInt8($0) }
  }

  // MARK: Secrets

  /// Protects the next records of a side with a secret of TLS 1.3, and writes it to the log, under its label there.
  package mutating func start(_ label: String, _ peer: Peer) {
    let number = label.utf8.reduce(seed) { $0 &* 33 &+ $1 }
    let secret = (0..<32).map { number &+ UInt8($0) &* 7 }
    write(label, secret)
    use(secret, peer)
  }

  /// Protects the next records of a side with the secret that follows from the last one (RFC 8446 §7.2).
  package mutating func updateKeys(_ peer: Peer) {
    guard let secret = secrets[peer],
      let next = secret.withOctets({ KeyDerivation.expandLabel("traffic upd", of: $0, .sha256, length: 32) })
    else { return }
    use(next.copy, peer)
  }

  private mutating func use(_ secret: [UInt8], _ peer: Peer) {
    secrets[peer] = secret
    let made = secret.withOctets { secret in
      (
        KeyDerivation.expandLabel("key", of: secret, .sha256, length: 32),
        KeyDerivation.expandLabel("iv", of: secret, .sha256, length: 12)
      )
    }
    guard let key = made.0, let initial = made.1 else { return }
    keys[peer] = Keys(key: key.copy, initial: initial.copy)
  }

  /// Protects the next records of both sides with a master secret of TLS 1.2.
  package mutating func startMaster() {
    let master = (0..<48).map { seed &* 41 &+ UInt8($0) &* 5 }
    write("CLIENT_RANDOM", master)
    let block = master.withOctets {
      KeyDerivation.expand($0, "key expansion", seed: serverRandom + random, .one(.sha256), length: 88)
    }
    guard let block = block?.copy else { return }
    keys[.client] = Keys(key: Array(block[..<32]), initial: Array(block[64..<76]))
    keys[.server] = Keys(key: Array(block[32..<64]), initial: Array(block[76...]))
  }

  private mutating func write(_ label: String, _ secret: [UInt8]) {
    func digits(_ octets: [UInt8]) -> String {
      octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    log += "\(label) \(digits(random)) \(digits(secret))\n"
  }

  // MARK: Records

  package static func record(_ type: UInt8, _ octets: [UInt8]) -> [UInt8] {
    [type, 3, 3, UInt8(octets.count >> 8), UInt8(octets.count & 0xff)] + octets
  }

  /// A protected record. `type` is that of its content; 23 is application data.
  package mutating func protected(_ peer: Peer, _ octets: [UInt8], type: UInt8 = 23, padding: Int = 0) -> [UInt8] {
    guard var keys = keys[peer] else { return Self.record(type, octets) }
    defer { self.keys[peer] = keys }
    if version == 0x0304 {
      let inner = octets + [type] + [UInt8](repeating: 0, count: padding)
      let header = Array(Self.record(23, [UInt8](repeating: 0, count: inner.count + 16))[..<5])
      return header + keys.seal(inner, additional: header)
    }
    let number = (0..<8).map { UInt8(truncatingIfNeeded: keys.sequence >> UInt64(8 * (7 - $0))) }
    let additional = number + Self.record(type, octets)[..<5]
    return Self.record(type, keys.seal(octets, additional: additional))
  }

  /// Application data in records of at most `size` octets.
  package mutating func data(_ peer: Peer, _ octets: [UInt8], size: Int = 1 << 14) -> [UInt8] {
    stride(from: 0, to: octets.count, by: size).flatMap { start in
      protected(peer, Array(octets[start..<min(start + size, octets.count)]))
    }
  }

  package static let changeCipherSpec = record(20, [1])

  // MARK: Handshakes

  package static func message(_ type: UInt8, _ octets: [UInt8]) -> [UInt8] {
    [type, UInt8(octets.count >> 16), UInt8(octets.count >> 8 & 0xff), UInt8(octets.count & 0xff)] + octets
  }

  private static func counted(_ octets: [UInt8]) -> [UInt8] {
    [UInt8(octets.count >> 8), UInt8(octets.count & 0xff)] + octets
  }

  private static func `extension`(_ type: UInt8, _ octets: [UInt8]) -> [UInt8] { [0, type] + counted(octets) }

  private var suite: [UInt8] { version == 0x0304 ? [0x13, 0x03] : [0xcc, 0xa8] }

  /// The record of a ClientHello.
  package func clientHello(host: String, offersEarlyData: Bool = false) -> [UInt8] {
    var extensions = Self.extension(0, Self.counted([0] + Self.counted(Array(host.utf8))))
    if version == 0x0304 { extensions += Self.extension(43, [2, 3, 4]) }
    if offersEarlyData { extensions += Self.extension(42, []) }
    let hello = [3, 3] + random + [0] + Self.counted(suite) + [1, 0] + Self.counted(extensions)
    return Self.record(22, Self.message(1, hello))
  }

  /// The record of a ServerHello.
  package func serverHello() -> [UInt8] {
    let extensions = version == 0x0304 ? Self.extension(43, [3, 4]) : []
    return Self.record(22, Self.message(2, [3, 3] + serverRandom + [0] + suite + [0] + Self.counted(extensions)))
  }

  /// The server's protected handshake of TLS 1.3. Its application keys protect the next records.
  package mutating func serverFlight(acceptsEarlyData: Bool = false, certificate: Int = 900) -> [UInt8] {
    start("SERVER_HANDSHAKE_TRAFFIC_SECRET", .server)
    let accepted = Self.counted(acceptsEarlyData ? Self.extension(42, []) : [])
    let messages =
      Self.message(8, accepted) + Self.message(11, [UInt8](repeating: 0x63, count: certificate))
      + Self.message(20, [UInt8](repeating: 0x66, count: 32))
    let flight = protected(.server, messages, type: 22)
    start("SERVER_TRAFFIC_SECRET_0", .server)
    return flight
  }

  /// The end of the client's handshake of TLS 1.3. Its application keys protect the next records.
  package mutating func clientFinish(endsEarlyData: Bool = false) -> [UInt8] {
    let end = endsEarlyData ? protected(.client, Self.message(5, []), type: 22) : []
    start("CLIENT_HANDSHAKE_TRAFFIC_SECRET", .client)
    let finished = protected(.client, Self.message(20, [UInt8](repeating: 0x66, count: 32)), type: 22)
    start("CLIENT_TRAFFIC_SECRET_0", .client)
    return end + finished
  }

  /// The change to the master secret's keys, and the end of a side's handshake of TLS 1.2. Call `startMaster` first.
  package mutating func finish(_ peer: Peer) -> [UInt8] {
    Self.changeCipherSpec
      + protected(peer, Self.message(20, [UInt8](repeating: 0x66, count: 12)), type: 22)
  }

  /// A ticket of TLS 1.3.
  package mutating func ticket() -> [UInt8] {
    protected(.server, Self.message(4, [UInt8](repeating: 0x74, count: 180)), type: 22)
  }
}

extension SecretOctets {
  fileprivate var copy: [UInt8] { withOctets { octets in (0..<octets.byteCount).map { octets.octet($0) } } }
}
