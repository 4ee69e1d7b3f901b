/// A position in a TCP stream: a signed 64-bit count of octets from the first octet of data.
///
/// Sequence numbers wrap at 2³²; positions do not. Position 0 is the octet after the SYN. If the capture starts in
/// mid-stream, it is the first sequence number that was seen. Earlier octets have negative positions.
package typealias StreamPosition = Int

extension StreamPosition {
  /// No position.
  static let unknown = Int.min
  /// A position beyond all others.
  static let never = Int.max
}

/// The numbering of one direction's octets.
struct SequenceSpace {
  private var origin: UInt32 = 0
  /// Whether a sequence number of this direction is known yet.
  private(set) var isKnown = false

  /// Makes `sequence` position 0, if no sequence number was known before.
  @inline(__always)
  mutating func learn(_ sequence: UInt32) {
    guard !isKnown else { return }
    origin = sequence
    isKnown = true
  }

  /// The position of a sequence number. Of all possible positions, it is the nearest one to `reference`
  /// (RFC 9293 §3.4: comparison modulo 2³²).
  @inline(__always)
  func position(of sequence: UInt32, near reference: StreamPosition) -> StreamPosition {
    let expected = origin &+ UInt32(truncatingIfNeeded: reference)
    return reference + Int(Int32(bitPattern: sequence &- expected))
  }
}

/// The parts of a run that streams use. A connection borrows them while it processes a segment.
protocol StreamContext {
  var configuration: Configuration { get }
  var ledger: Ledger { get set }
  var anomalies: AnomalyLog { get set }
  var shared: SharedByConnections { get set }
  /// The capture time of the current packet, in nanoseconds. It never goes backwards, and timers use it.
  var clock: Int64 { get set }
  /// Octets of memory of all connections together, without held octets.
  var connectionMemory: Int { get set }
  /// The current connection.
  var connection: ConnectionContext { get set }

  /// Whether the ledger tells directions apart.
  var isDirected: Bool { get }
  /// Charges the octets that follow to the direction of `side`.
  mutating func turn(to side: Side)
  /// Sets the sender of the current packet.
  mutating func turnPacket(to side: Side)

  var numbers: RowNumbers { get set }
}

/// The state that all connections share.
struct SharedByConnections {
  var names: NameTable
  var history: PayloadHistory
  /// The processes of connections with a known process.
  var processes = Slab<ConnectionProcesses>()
  /// Octets held behind gaps, of all connections together.
  var heldOctets = 0

  init(_ configuration: Configuration) {
    names = NameTable(limit: configuration.nameLimit)
    history = PayloadHistory(capacity: configuration.payloadHistoryLength)
  }
}

extension StreamContext {
  /// Counts an anomaly of the current connection.
  mutating func note(_ anomaly: Anomaly) {
    anomalies.note(anomaly, connection: connection.number)
  }

  /// Counts octets of the current connection that were not captured. A negative number takes back octets that came after all.
  mutating func countMissing(_ count: Int) {
    connection.added.missing += count
    ledger.missing += count
  }

  /// Counts octets of a packet beyond its snap length. They have a class as well (MEASURES §1).
  mutating func countUnseen(_ count: Int) {
    connection.added.unseen += count
    ledger.missing += count
  }

  /// Takes octets of a gap that come after it was given up, and that belong to no message.
  mutating func acceptLate(_ count: Int, as octetClass: OctetClass) {
    connection.added.unattributed += count
    ledger.settle(count, as: octetClass)
  }

  /// Counts an anomaly with the octets that show it.
  mutating func note(_ anomaly: Anomaly, example: RawSpan) {
    anomalies.note(anomaly, connection: connection.number, example: example)
  }
}

/// The current connection: the facts that its session needs, and the counts that the session adds.
struct ConnectionContext {
  /// Its unique number in reports; 0 before the first connection.
  var number = 0
  /// The endpoint of each side.
  var endpoints = Sides(repeating: Endpoint(address: IPAddress(high: 0, low: 0), port: 0))
  /// The side that opened the connection, if the capture shows it.
  var client: Side?
  /// The `client`, else the side that sends requests; kept where directions are told apart.
  @OptionalSide var directedClient: Side? = nil
  /// The known processes of the connection.
  var processes = ConnectionProcesses()
  /// The layers beneath the current session's messages. The session that opens the current one changes them.
  var beneath = Beneath()
  var added = Added()

  /// Facts about an outer session that concern the messages of its inner session.
  struct Beneath {
    /// Whether it is TLS.
    var isSecure = false
    /// Whether `serverName` may be a public name that stands for another one.
    var isNamePublic = false
    /// The server's name; `TextID.none` when unknown. The session retains it.
    var serverName = TextID.none
    /// The duration of its handshake in nanoseconds. The first exchange takes it away.
    @OptionalTime var handshake: Int64? = nil
    /// Whether the current session is in a tunnel that another session opened.
    var isTunnelled = false
    /// The number of TLS sessions around the current one.
    var depth: UInt8 = 0
  }

  /// Counts to add to the connection.
  struct Added {
    /// Octets that belong to no message.
    var unattributed = 0
    /// Octets of frames that no message is charged for (HTTP/2).
    var control = 0
    /// Octets that were never captured.
    var missing = 0
    /// Octets in packets beyond their snap length.
    var unseen = 0
    var messages = 0
    var flags: ConnectionFlags = []
  }
}
