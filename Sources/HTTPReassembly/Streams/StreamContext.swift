/// What streams use of a whole run: it is lent to each connection while that works on a segment.
protocol StreamContext {
  var configuration: Configuration { get }
  var ledger: Ledger { get set }
  var anomalies: AnomalyLog { get set }
  var names: NameTable { get set }
  var history: PayloadHistory { get set }
  /// Capture time of the packet being processed, in nanoseconds and never going backwards: what timers go by.
  var clock: Int64 { get set }
  /// When the connection being worked on is to be looked at again if nothing comes of it; nil when it is not, or will be anyway.
  var nextLook: (deadline: Int64, isSoon: Bool)? { get set }
  /// Octets held behind holes, all connections together.
  var heldOctets: Int { get set }
  /// Octets of memory that connections take, all together, without what is held.
  var connectionMemory: Int { get set }
  /// The processes of the connections of which any are known.
  var processSlots: Slab<ConnectionProcesses> { get set }
  /// The connection being worked on.
  var connection: ConnectionContext { get set }

  /// Whether the ledger tells directions apart.
  var isDirected: Bool { get }
  /// What comes next is charged to what a side sent.
  mutating func turn(to side: Side)
  /// The packet in hand was sent by a side.
  mutating func turnPacket(to side: Side)

  /// The number of the next connection in reports.
  mutating func nextConnection() -> Int
}

extension StreamContext {
  /// Counts an anomaly of the connection being worked on.
  mutating func note(_ anomaly: Anomaly) {
    anomalies.note(anomaly, connection: connection.number)
  }

  /// Counts octets of the connection being worked on that were not captured, or fewer when they came after all.
  mutating func countMissing(_ count: Int) {
    connection.added.missing += count
    ledger.missing += count
  }

  /// Counts octets that are in a packet, but beyond its snap length: they have a class all the same (MEASURES §1).
  mutating func countUnseen(_ count: Int) {
    connection.added.unseen += count
    ledger.missing += count
  }

  /// Takes octets of a hole that belong to no message and come after the hole was given up.
  mutating func acceptLate(_ count: Int, as octetClass: OctetClass) {
    connection.added.unattributed += count
    ledger.settle(count, as: octetClass)
  }

  /// Counts an anomaly, with the octets that show it.
  mutating func note(_ anomaly: Anomaly, example: RawSpan) {
    anomalies.note(anomaly, connection: connection.number, example: example)
  }
}

/// The connection being worked on: what its session needs to know of it, and what it adds to it.
struct ConnectionContext {
  /// Its number in reports, which no other has; 0 before the first.
  var number = 0
  /// The endpoint of each side.
  var endpoints = Sides(repeating: Endpoint(address: IPAddress(high: 0, low: 0), port: 0))
  /// The side that opened the connection, where the capture shows it.
  var client: Side?
  /// The same, else the side that sends requests; kept where directions are told apart.
  @OptionalSide var directedClient: Side? = nil
  /// The processes that it belongs to, as far as they are known.
  var processes = ConnectionProcesses()
  /// What lies beneath the messages of the session that is at work; changed by the session that opens it.
  var beneath = Beneath()
  var added = Added()

  /// What a session that opens others knows, and its messages have to say.
  struct Beneath {
    /// Whether it is TLS.
    var isSecure = false
    /// Whether `serverName` may be a public name that stands for another one.
    var isNamePublic = false
    /// The server's name, `TextID.none` where it is not known; retained by the session.
    var serverName = TextID.none
    /// How long its handshake took, in nanoseconds: for the first exchange, which takes it away.
    @OptionalTime var handshake: Int64? = nil
    /// Whether the session at work is in a tunnel that another one opened.
    var isTunnelled = false
    /// Sessions of TLS that are around the one at work.
    var depth: UInt8 = 0
  }

  /// What is added to it.
  struct Added {
    /// Octets in no message.
    var unattributed = 0
    /// Octets of frames that are charged to no message (HTTP/2).
    var control = 0
    /// Octets never captured.
    var missing = 0
    /// Octets in packets, but beyond their snap length.
    var unseen = 0
    /// Messages.
    var messages = 0
    /// Flags.
    var flags: ConnectionFlags = []
  }
}
