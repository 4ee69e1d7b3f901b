import Cryptography
import HTTPReassembly

/// A connection of Multipath TCP as a script: its subflows, and the octets that each peer sends on them (RFC 8684).
package struct MultipathScript: Sendable {
  /// A subflow, with the numbers of TCP.
  private struct Path {
    var ends: [Peer: Endpoint]
    var next: [Peer: UInt32]
    var start: [Peer: UInt32]
    var received: [Peer: UInt32] = [:]
    var nonces: [Peer: [UInt8]] = [:]
  }

  /// The captured segments.
  package var segments: [Segment] = []
  /// Capture time of the next segment.
  package var now: Int64 = 1_700_000_000_000_000_000
  /// Nanoseconds from one segment to the next.
  package var step: Int64 = 1_000_000
  /// Whether numbers of the data sequence have 8 octets instead of 4.
  package var hasLongNumbers = false
  /// Whether each mapping says that it starts at the subflow's first octet, as some programs do.
  package var countsFromOne = false
  /// Whether mappings have a checksum.
  package var hasChecksums = false
  /// Octets of data that each peer has sent, and those that the other one has.
  package var sent: [Peer: Int] = [.client: 0, .server: 0]
  package var received: [Peer: Int] = [.client: 0, .server: 0]

  private let version: UInt8
  private let keys: [Peer: [UInt8]]
  private var paths: [Path] = []

  package init(
    version: UInt8 = 1, clientKey: [UInt8] = Array(1...8), serverKey: [UInt8] = Array(11...18)
  ) {
    self.version = version
    keys = [.client: clientKey, .server: serverKey]
  }

  private var digest: DigestAlgorithm { version == 0 ? .sha1 : .sha256 }

  /// The token of a peer.
  package func token(_ peer: Peer) -> [UInt8] { Array(digest.digest(keys[peer] ?? []).prefix(4)) }

  /// The number of a peer's first octet of data.
  package func origin(_ peer: Peer) -> UInt64 {
    digest.digest(keys[peer] ?? []).suffix(8).reduce(0) { $0 << 8 | UInt64($1) } &+ 1
  }

  private func code(_ peer: Peer, _ path: Path) -> [UInt8] {
    var mac = MACOctets()
    let secret = (keys[peer] ?? []) + (keys[peer.other] ?? [])
    let text = (path.nonces[peer] ?? []) + (path.nonces[peer.other] ?? [])
    text.withOctets { text in secret.withOctets { _ = digest.authenticate(text, key: $0, to: &mac) } }
    return mac.withOctets { octets in (0..<octets.byteCount).map { octets.octet($0) } }
  }

  // MARK: Subflows

  private mutating func addPath(client port: UInt16, server: UInt16, address: UInt32, at place: UInt32) -> Int {
    let number = UInt32(paths.count)
    paths.append(
      Path(
        ends: [
          .client: Endpoint(address: IPAddress(v4: 0xc000_0201 + address), port: port),
          .server: Endpoint(address: IPAddress(v4: 0xc633_6401 + place), port: server),
        ],
        next: [.client: 1000 + number * 777, .server: 0xffff_f000 &+ number &* 999], start: [:]))
    return paths.count - 1
  }

  /// Begins the connection. Returns the number of its first subflow, 0.
  @discardableResult
  package mutating func open(hasKeys: Bool = true) -> Int {
    let path = addPath(client: 40_000, server: 80, address: 0, at: 0)
    let (client, server) = (keys[.client] ?? [], keys[.server] ?? [])
    func capable(_ keys: [UInt8]) -> [UInt8] { hasKeys ? [30, UInt8(4 + keys.count), version, 0x81] + keys : [] }
    handshake(path, by: .client, [capable(version == 0 ? client : []), capable(server), capable(client + server)])
    return path
  }

  /// Begins a further subflow, which either peer may open, between other addresses or to the server's first one. Returns its number.
  package mutating func join(by peer: Peer = .client, hasProof: Bool = true, isAtFirstAddress: Bool = false) -> Int {
    let number = UInt16(paths.count)
    let path = addPath(
      client: peer == .client ? 41_000 + number : 80, server: peer == .client ? 80 : 42_000 + number,
      address: UInt32(number & 3), at: isAtFirstAddress ? 0 : UInt32(number & 3))
    paths[path].nonces = [.client: [1, 2, 3, UInt8(number & 255)], .server: [5, 6, 7, UInt8(number & 255)]]
    let (own, other) = (paths[path].nonces[peer] ?? [], paths[path].nonces[peer.other] ?? [])
    let answer = hasProof ? Array(code(peer.other, paths[path]).prefix(8)) : Array(repeating: 0, count: 8)
    let confirmation = hasProof ? Array(code(peer, paths[path]).prefix(20)) : Array(repeating: 0, count: 20)
    handshake(
      path, by: peer,
      [
        [30, 12, 0x10, 1] + token(peer.other) + own, [30, 16, 0x10, 1] + answer + other,
        [30, 24, 0x10, 0] + confirmation,
      ])
    return path
  }

  private mutating func handshake(_ path: Int, by peer: Peer, _ options: [[UInt8]]) {
    capture(path, peer, .syn, options: options[0])
    capture(path, peer.other, [.syn, .ack], options: options[1])
    capture(path, peer, .ack, options: options[2])
  }

  /// Ends a subflow: by FIN of both peers, or by a reset.
  package mutating func close(_ path: Int, isReset: Bool = false) {
    guard !isReset else { return capture(path, .client, [.rst, .ack]) }
    capture(path, .client, [.fin, .ack])
    capture(path, .server, [.fin, .ack])
    capture(path, .client, .ack)
  }

  // MARK: Segments

  private mutating func capture(
    _ path: Int, _ peer: Peer, _ flags: TCPFlags, options: [UInt8] = [], _ payload: [UInt8] = [],
    isCaptured: Bool = true
  ) {
    let known = paths[path]
    guard let source = known.ends[peer], let destination = known.ends[peer.other], let next = known.next[peer] else {
      return
    }
    var segment = Segment(
      from: source, to: destination, sequence: next,
      acknowledgment: flags.contains(.ack) ? known.received[peer] ?? 0 : 0, flags: flags, payload: payload, time: now)
    segment.options = options + Array(repeating: 1, count: (4 - options.count % 4) % 4)
    let numbers = payload.count + (flags.contains(.syn) ? 1 : 0) + (flags.contains(.fin) ? 1 : 0)
    paths[path].next[peer] = next &+ UInt32(numbers)
    paths[path].received[peer.other] = paths[path].next[peer]
    if flags.contains(.syn) { paths[path].start[peer] = next &+ 1 }
    if isCaptured { segments.append(segment) }
    now += step
  }

  /// The last octets of a number.
  private static func octets(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private func number(_ offset: Int, of peer: Peer) -> [UInt8] {
    Self.octets(origin(peer) &+ UInt64(offset), hasLongNumbers ? 8 : 4)
  }

  /// The option with the place of octets from `offset` on.
  private func signal(_ peer: Peer, _ path: Int, at offset: Int, _ length: Int, isLast: Bool) -> [UInt8] {
    let start = paths[path].start[peer] ?? 0
    let place = length == 0 ? 0 : countsFromOne ? 1 : (paths[path].next[peer] ?? 0) &- start &+ 1
    var flags: UInt8 = 0x05 | (isLast ? 0x10 : 0)
    if hasLongNumbers { flags |= 0x0a }
    var option: [UInt8] = [30, 0, 0x20, flags]
    option += number(received[peer] ?? 0, of: peer.other) + number(offset, of: peer)
    option += Self.octets(UInt64(place), 4) + Self.octets(UInt64(length + (isLast ? 1 : 0)), 2)
    if hasChecksums { option += [0xab, 0xcd] }
    option[1] = UInt8(option.count)
    return option
  }

  /// Sends octets on a subflow. They are the next ones of the peer, or those from `offset` on once more.
  package mutating func send(
    _ peer: Peer, on path: Int, _ octets: [UInt8], at offset: Int? = nil, isCaptured: Bool = true, isMapped: Bool = true
  ) {
    let place = offset ?? sent[peer] ?? 0
    let options = isMapped ? signal(peer, path, at: place, octets.count, isLast: false) : []
    capture(path, peer, [.ack, .push], options: options, octets, isCaptured: isCaptured)
    sent[peer] = max(sent[peer] ?? 0, place + octets.count)
    received[peer.other] = sent[peer]
  }

  /// Sends text on a subflow.
  package mutating func send(_ peer: Peer, on path: Int, _ text: String) { send(peer, on: path, Array(text.utf8)) }

  /// Says on a subflow that the peer's stream ends.
  package mutating func end(_ peer: Peer, on path: Int) {
    capture(path, peer, .ack, options: signal(peer, path, at: sent[peer] ?? 0, 0, isLast: true))
  }

  /// Says on a subflow that everything has come.
  package mutating func acknowledge(_ peer: Peer, on path: Int) {
    let option =
      [30, hasLongNumbers ? 12 : 8, 0x20, hasLongNumbers ? 3 : 1] + number(received[peer] ?? 0, of: peer.other)
    capture(path, peer, .ack, options: option)
  }

  /// The packets, in the order of capture.
  package func packets() -> [TestPacket] { segments.map { $0.packet() } }
}
