import Cryptography

/// The level of protection of a packet (RFC 9001 §4).
enum QUICLevel: Int {
  case initial
  /// 0-RTT, which only clients send.
  case early
  case handshake
  /// 1-RTT.
  case application

  /// The number of levels.
  static let count = 4

  /// The space of its packet numbers (RFC 9000 §12.3). 0-RTT and 1-RTT share one.
  var space: Int {
    switch self {
    case .initial: 0
    case .handshake: 1
    case .early, .application: 2
    }
  }

  /// Whether the application's data may be in its packets.
  @inline(__always)
  var isApplication: Bool { self == .early || self == .application }

  /// The label of its secret in key logs; nil for Initial packets, whose keys anybody can compute.
  func label(isClient: Bool) -> SecretLabel? {
    switch self {
    case .initial: nil
    case .early: isClient ? .clientEarlyTraffic : nil
    case .handshake: isClient ? .clientHandshakeTraffic : .serverHandshakeTraffic
    case .application: isClient ? .clientTraffic : .serverTraffic
    }
  }
}

/// The state in which packets of a QUIC connection are opened. It is given up when there are too many connections.
struct QUICOpener {
  /// Keys to try, with the place of their secret.
  struct Candidate {
    var place: SecretPlace
    var suite: UInt16
    var keys: KeyPhases
  }

  /// The keys of one side at one level.
  struct Level {
    /// The keys in use, once a packet has been opened with them.
    var keys: KeyPhases?
    var candidates: [Candidate] = []
    /// The number of secrets that were known when the candidates were made; -1 before.
    var knownSecrets = -1
    /// Packets that none of the candidates opened.
    var failures = 0
  }

  struct OneSide {
    var levels = Array(repeating: Level(), count: QUICLevel.count)
    var numbers = Array(repeating: PacketNumbers(), count: 3)
    /// Trials that are left for packets behind lost ones.
    var trials = KeyPhases.trialLimit
    /// Octets of the segments in its latest datagram that has several; 0 before.
    var segmentLength = 0
    /// Handshake octets of Initial and of Handshake packets.
    var initial = CryptoOctets()
    var handshake = CryptoOctets()
    /// The number of its messages in Initial packets.
    var hellos = 0
    /// The connection IDs that it chose for itself, with their sequence numbers, oldest first.
    var ids: [(sequence: UInt64, id: QUICConnectionID)] = [] { didSet { noteLength() } }
    /// The length of all of them; nil without one, or if they differ. It is kept, because each packet in short form asks for it.
    private(set) var idLength: Int?
    /// The tokens of its stateless resets, oldest first (RFC 9000 §10.3). They have the form of an ID of 16 octets.
    var resetTokens: [QUICConnectionID] = []

    /// Opens a packet with the keys in use at a level; nil without keys. `isSearched` says whether its number may be far ahead, and its
    /// keys updated several times.
    @inline(__always)
    mutating func open(
      _ level: QUICLevel, _ place: PacketPlace, in payload: RawSpan, isSearched: Bool, _ room: inout PacketRoom
    ) -> QUICOpening? {
      let left = trials
      if !isSearched { trials = 0 }
      defer { if !isSearched { trials = min(left + trials, KeyPhases.trialLimit) } }
      guard levels[level.rawValue].keys != nil else { return nil }
      let largest = numbers[level.space].largest
      guard let opened = levels[level.rawValue].keys?.open(place, in: payload, after: largest, trials: &trials, &room)
      else { return .closed }
      return .opened(number: opened.number, length: opened.length)
    }

    private mutating func noteLength() {
      let length = ids.last?.id.count
      idLength = ids.contains { $0.id.count != length } ? nil : length
    }

    /// Octets of memory on the heap.
    var memory: Int {
      levels.reduce(0) { sum, level in
        sum + (level.keys?.memory ?? 0) + level.candidates.reduce(0) { $0 + $1.keys.memory }
      } + QUICLevel.count * MemoryLayout<Level>.stride + 3 * MemoryLayout<PacketNumbers>.stride + 96
        + initial.memory + handshake.memory + (ids.capacity + resetTokens.capacity) * 40
    }
  }

  /// A packet that waits for its keys.
  struct Held {
    var side: Side
    var octets: [UInt8]
    /// Octets of the IP and UDP headers that go with it; 0 if they are charged with another packet of its datagram.
    var overhead: Int
    var arrival: SegmentArrival
  }

  var sides = Sides<OneSide>(repeating: OneSide())
  /// The source of the keys of Initial packets: the client's first destination connection ID, or the ID from a Retry packet.
  var keySource: QUICConnectionID?
  var keyVersion: UInt32 = 0
  /// The source before a Retry.
  var formerSource: QUICConnectionID?
  var hasRetried = false
  /// The number of Initial keys that were made in vain, or in place of others. Each costs some microseconds.
  var failures = 0
  /// The name of the connection's secrets: the client's random; nil until its hello is read.
  var name: SecretName?
  /// The protection that the server chose; nil until its hello is read, or if it cannot be opened.
  var suite: CipherSuite.Protection?
  var hasServerHello = false
  /// Whether a packet of the handshake was captured.
  var hasHandshake = false
  var offersEarlyData = false
  /// Whether the server accepts the early data; nil while unknown.
  var takesEarlyData: Bool?
  /// Whether the client offers HTTP/3, perhaps among others.
  var offersHTTP3 = false
  /// The protocol that was negotiated, or the only one that was offered.
  var protocolName: [UInt8] = []
  /// Packets that wait for keys, in order.
  var held: [Held] = []
  /// Octets of the held packets.
  var heldOctets = 0
  /// When the first of them came.
  var heldSince: Int64 = 0
  /// Whether nothing waits any more.
  var hasGivenUp = false
  /// Changes of keys or of what is known of them. After each, held packets are tried again.
  var progress = 0
  /// The number of changes at the last trial.
  var triedProgress = 0
  /// The number of secrets that were known when a name was last looked for by trial, and how often it was.
  private var searches = (secrets: 0, count: 0)
  /// The capture time of the client's hello.
  var helloTime: Int64?

  /// The number of Initial keys made in vain.
  static let failureLimit = 8
  /// The number of hellos of one side: another one follows on a Retry, and on a HelloRetryRequest.
  static let helloLimit = 8
  /// The number of packets at one level that no candidate opens until there are other secrets.
  static let attemptLimit = 64
  /// The number of packets by which a name is looked for until there are other secrets.
  private static let searchLimit = 4
  /// The number of remembered connection IDs of one side.
  static let idLimit = 8

  /// Octets of memory, without held packets.
  var memory: Int {
    MemoryLayout<QUICOpener>.stride + 32 + sides.look(0) { $0.memory } + sides.look(1) { $0.memory }
      + held.capacity * MemoryLayout<Held>.stride
  }

  /// Whether a name may be looked for by trial, with so many secrets. Each call counts.
  mutating func maySearch(_ secrets: Int) -> Bool {
    guard secrets > 0 else { return false }
    if searches.secrets != secrets { searches = (secrets, 0) }
    searches.count += 1
    return searches.count <= Self.searchLimit
  }

  /// Whether keys are in use for packets of a side at a level.
  func hasKeys(_ level: QUICLevel, of side: Side) -> Bool {
    sides.look(side) { $0.levels[level.rawValue].keys != nil }
  }

  /// Whether keys are in use for packets of a side at a level, or can be tried.
  func mayOpen(_ level: QUICLevel, of side: Side) -> Bool {
    sides.look(side) {
      $0.levels[level.rawValue].keys != nil
        || !$0.levels[level.rawValue].candidates.isEmpty
          && $0.levels[level.rawValue].failures < Self.attemptLimit
    }
  }

  /// Remembers a connection ID that a side chose for itself. Returns whether it is new, and the one that is forgotten for it.
  mutating func note(
    _ id: QUICConnectionID, _ sequence: UInt64, of side: Side
  ) -> (isNew: Bool, forgotten: QUICConnectionID?) {
    guard !sides[side].ids.contains(where: { $0.id == id }) else { return (false, nil) }
    let forgotten = sides[side].ids.count >= Self.idLimit ? sides[side].ids.removeFirst().id : nil
    sides[side].ids.append((sequence, id))
    return (true, forgotten)
  }

  /// Remembers the token with which a side may reset the connection.
  mutating func note(resetToken token: QUICConnectionID, of side: Side) {
    if sides[side].resetTokens.count >= Self.idLimit { sides[side].resetTokens.removeFirst() }
    sides[side].resetTokens.append(token)
  }

  /// Whether a datagram from a side resets the connection: it ends with one of the side's tokens (RFC 9000 §10.3.1).
  func isStatelessReset(_ datagram: RawSpan, from side: Side) -> Bool {
    let start = datagram.byteCount - QUICFrame.resetTokenLength
    // Shorter ones would be told from other packets (RFC 9000 §10.3).
    guard start >= 5, sides.look(side, { !$0.resetTokens.isEmpty }) else { return false }
    let end = QUICConnectionID(datagram, start..<datagram.byteCount)
    return sides.look(side) { $0.resetTokens.contains(end) }
  }

  /// Whether a packet in short form has a known ID of a side.
  func hasID(of side: Side, _ payload: RawSpan, at start: Int) -> Bool {
    sides.look(side) { $0.ids.contains { $0.id.count > 0 && $0.id.matches(payload, at: start + 1) } }
  }

  /// The length of the destination ID of a packet in short form to a side; nil when unknown.
  ///
  /// Such a packet does not tell it (RFC 9000 §17.3.1). One side's IDs mostly have the same length.
  @inline(__always)
  mutating func idLength(to side: Side, _ payload: RawSpan, at start: Int) -> Int? {
    sides.look(side) { $0.idLength } ?? matchingLength(side, payload, at: start)
  }

  /// The length of the latest ID of a side that a packet matches, else of its latest one.
  @inline(never)
  private mutating func matchingLength(_ side: Side, _ payload: RawSpan, at start: Int) -> Int? {
    let ids = sides.look(side) { $0.ids }
    return (ids.last { $0.id.matches(payload, at: start + 1) } ?? ids.last)?.id.count
  }
}
