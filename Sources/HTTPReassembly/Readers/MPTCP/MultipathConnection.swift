import Cryptography
import Packets

/// A connection of Multipath TCP (RFC 8684): two streams that several subflows carry.
///
/// A subflow is a connection of TCP with a row of its own. It hands its octets over in the order of its own numbers. Here they are put in
/// the order of the data sequence by the same assembler as those of TCP.
struct MultipathConnection {
  /// Its streams. They have the number and the sides of the subflow that began it. Position 0 is the first octet of data.
  var stream: TCPConnection<Session>
  /// Its place among the connections.
  var slot = 0
  /// The version, 0 or 1, which decides between SHA-1 and SHA-256.
  let version: UInt8
  let server: Side
  /// The key of each side; nil while it is not known.
  private(set) var keys = Sides<UInt64?>(repeating: nil)
  /// The token of each side, which requests to join it name.
  private(set) var tokens = Sides<UInt32?>(repeating: nil)
  /// The number of each side's first octet of data; nil while it is not known.
  private var origins = Sides<UInt64?>(repeating: nil)
  /// Whether a segment said where its octets belong. If the first octets come without, it is TCP without paths (RFC 8684 §3.7).
  var hasSignals = false
  /// Whether it goes on as TCP without paths.
  var isGivenUp = false
  /// Whether a second subflow came.
  var hasFurtherSubflows = false
  /// Subflows in the table of connections.
  var subflows = 0
  /// When the last subflow ended; `.max` while there is one.
  var silentSince = Int64.max
  /// The row of the subflow that began it, once that one has ended. It gets the costs that belong to no subflow, so it is final last.
  var firstRow: Connection?
  /// Rows of other subflows that have ended. They count for the host of the first one.
  var furtherRows: [Connection] = []

  init(_ stream: consuming TCPConnection<Session>, version: UInt8, server: Side) {
    self.stream = stream
    self.version = version
    self.server = server
  }

  /// Octets of its memory, without the streams'.
  static var memory: Int { MemoryLayout<MultipathConnection>.stride + 64 + 4 * 32 }

  /// Its number in reports.
  var number: Int { stream.record.number }

  /// The server's token, which names it in reports.
  var token: UInt32? { tokens[server] }

  // MARK: Keys

  private static func digest(_ version: UInt8) -> DigestAlgorithm { version == 0 ? .sha1 : .sha256 }

  private static func octets(_ key: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: key >> (56 - 8 * $0)) }
  }

  /// Learns the key of a side, which gives its token and the number before its first octet (RFC 8684 §2.2, §3.1). Returns the token.
  mutating func learn(key: UInt64, of side: Side) -> UInt32? {
    guard keys[side] == nil else { return nil }
    let digest = Self.digest(version).digest(Self.octets(key))
    guard digest.count >= 8 else { return nil }
    keys[side] = key
    tokens[side] = digest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    origins[side] = digest.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } &+ 1
    return tokens[side]
  }

  /// Whether both keys are known, so that a subflow can prove that it belongs here.
  var hasKeys: Bool { keys[0] != nil && keys[1] != nil }

  /// Whether a code proves that `side` knows both keys, for the nonces of a new subflow (RFC 8684 §3.2).
  func isProof(_ code: [UInt8], of side: Side, own: UInt32, other: UInt32) -> Bool {
    guard let key = keys[side], let otherKey = keys[1 - side] else { return false }
    let secret = Self.octets(key) + Self.octets(otherKey)
    let text = Self.octets(UInt64(own) << 32 | UInt64(other))
    var mac = MACOctets()
    let isDone = text.withOctets { text in
      secret.withOctets { Self.digest(version).authenticate(text, key: $0, to: &mac) }
    }
    return isDone
      && mac.withOctets { mac in
        mac.byteCount >= code.count && code.withOctets { $0.hasSameOctets(at: 0, as: mac, at: 0, count: code.count) }
      }
  }

  // MARK: Numbers

  /// The position of a number in the stream of a side. Nil if it is far from all that is known, or the numbers' start is unknown.
  func position(of number: MultipathOption.Signal.Number, _ side: Side) -> StreamPosition? {
    guard let origin = origins[side] else { return nil }
    let next = stream.streams[side].next
    guard !number.isLong else {
      let position = Int(truncatingIfNeeded: number.value &- origin)
      return (next - Self.reach...next + Self.reach).contains(position) ? position : nil
    }
    let expected = UInt32(truncatingIfNeeded: origin) &+ UInt32(truncatingIfNeeded: next)
    return next + Int(Int32(bitPattern: UInt32(truncatingIfNeeded: number.value) &- expected))
  }

  private static let reach = 1 << 31

  /// Learns the start of a side's numbers from its first octet's number, if the start is not known or cannot be right: the side's key was not
  /// captured, or is none. Returns whether it did. The start is a guess then.
  mutating func guess(_ first: MultipathOption.Signal.Number, of side: Side) -> Bool {
    if let position = position(of: first, side) {
      guard stream.streams[side].next == 0, !stream.streams[side].isHolding, !(0..<Self.firstReach).contains(position)
      else {
        return false
      }
    } else if origins[side] != nil, stream.streams[side].next > 0 {
      return false
    }
    origins[side] = first.value
    return true
  }

  /// Octets that another subflow may have sent before the first one of this side's first subflow.
  private static let firstReach = 1 << 24

  // MARK: Streams

  /// Works on its streams on behalf of a subflow, whose sides may be the other way round.
  mutating func work(
    _ isReversed: Bool, _ run: inout Run, _ body: (inout TCPConnection<Session>, inout Run) -> Void
  ) {
    let outer = run.connection
    stream.borrowRun(&run)
    run.connection.processes = isReversed ? outer.processes.reversed : outer.processes
    body(&stream, &run)
    stream.giveBackRun(&run)
    run.connection = outer
  }
}

extension TCPConnection where Receiver == Session {
  /// Takes octets that a subflow carried, and that belong at a position of its stream.
  mutating func takeCarried(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival, from side: Side,
    _ run: inout Run
  ) {
    lastSeen = max(lastSeen, run.clock)
    if isInReach(position, side) {
      var arrival = arrival
      arrival.ordinal = packets
      accept(payload, length: length, at: position, nil, arrival, isSuspect: false, from: side, &run)
    } else {
      run.note(.tcpDataOutOfWindow)
      refuse(length, overhead: arrival.overhead, &run)
    }
    advance(&run, isForced: false)
  }

  /// Takes the acknowledgment of a side's octets up to a position, which a segment of a subflow brought.
  mutating func takeAcknowledgment(_ position: StreamPosition, of side: Side, _ run: inout Run) {
    lastSeen = max(lastSeen, run.clock)
    noteAcknowledged(position, side, &run)
    advance(&run, isForced: false)
  }

  /// Takes the end of a side's stream.
  mutating func takeEnd(_ position: StreamPosition, from side: Side, _ run: inout Run) {
    noteFin(position, from: side, &run)
    advance(&run, isForced: false)
  }

  /// Takes the close of the connection at once, as a reset.
  mutating func takeReset(from side: Side, _ run: inout Run) {
    streams[side].reset = .taken
    advance(&run, isForced: false)
  }
}
