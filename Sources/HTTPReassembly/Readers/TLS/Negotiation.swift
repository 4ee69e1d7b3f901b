import Cryptography

/// The parts of a connection's hellos that determine its keys.
struct Negotiation {
  /// The client's random; nil until a ClientHello is read.
  var client: SecretName?
  /// The server's random, then the client's. They expand the keys (RFC 5246 §6.3).
  var randoms: [UInt8] = Array(repeating: 0, count: 64)
  /// The session that the server named; nil without one.
  var session: SecretName?
  /// Digests of the ticket that the client offered, and of the ticket that the server issued (RFC 5077).
  var offeredTicket: SecretName?
  var issuedTicket: SecretName?
  /// The start of the encrypted pre-master secret of RSA key exchange.
  var encryptedPremaster: SecretName?
  var version: UInt16 = 0
  var suite: CipherSuite?
  var encryptsThenMACs = false
  var extendsMasterSecret = false
  /// The minimum number of octets behind a record's header that are not content; nil when unknown.
  var leastExpansion: Int?
  /// Whether a ServerHello was read that is not a HelloRetryRequest.
  var hasServerHello = false
  /// Whether octets were lost that held the ServerHello, or some of it. The secrets of TLS 1.3 can still open records: the client's random
  /// names them, and a record that opens tells the suite.
  var hasLostServerHello = false
  var offersEarlyData = false
  /// Whether the server accepts the early data; nil while unknown.
  var takesEarlyData: Bool?
  /// Whether the server has said that it does not accept the early data.
  var refusesEarlyData = false
  /// The start of the session that the client requested. It is enough to tell whether the server resumes it.
  var offeredSession: SecretName?
  /// Other ClientHellos that were sent in the place of the one that was read. The server's answer tells which one is right.
  var copies: [[UInt8]] = []
  /// The maximum number of such copies.
  static let copyLimit = 4
  /// Whether the master secret was noted for saved secrets.
  var hasNotedMaster = false
  /// Whether the server sent messages that do not occur in a resumed session.
  var isFull = false

  /// Whether it is TLS 1.3, or can only be opened as that.
  var isTLS13: Bool { version >= 0x0304 || hasLostServerHello && !hasServerHello }
  /// Whether keys can be made, perhaps by trial.
  var hasParameters: Bool { hasServerHello || hasLostServerHello }
  /// Whether records can be opened under the suite, as far as it is known.
  var canOpen: Bool { suite.map { $0.protection != nil } ?? hasLostServerHello }
  /// The suites that may be right: the one that the server chose, else each one of TLS 1.3.
  var suites: [CipherSuite] { suite.map { [$0] } ?? (hasLostServerHello ? CipherSuite.ofTLS13 : []) }

  /// Begins a negotiation with a ClientHello: the first one, one after a HelloRetryRequest, or one of a renegotiation.
  mutating func take(client hello: Hello) {
    client = hello.random.withOctets { SecretName(.random, $0) }
    for index in 0..<32 { randoms[32 + index] = hello.random[index] }
    offeredSession = hello.session.withOctets { SecretName(.session, $0.extracting(0..<hello.sessionLength)) }
    if hello.extensions.contains(.earlyData) { offersEarlyData = true }
    encryptedPremaster = nil
    offeredTicket = nil
    issuedTicket = nil
    hasNotedMaster = false
    isFull = false
  }

  /// Takes the choices of a ServerHello.
  mutating func take(server hello: Hello) {
    version = hello.version
    suite = CipherSuite(hello.suite)
    encryptsThenMACs = hello.extensions.contains(.encryptThenMAC)
    extendsMasterSecret = hello.extensions.contains(.extendedMasterSecret)
    leastExpansion = suite?.leastExpansion(version: version)
    for index in 0..<32 { randoms[index] = hello.random[index] }
    session = hello.session.withOctets { SecretName(.session, $0.extracting(0..<hello.sessionLength)) }
  }

  /// Takes the suite of TLS 1.3 that has opened a record, in the place of a ServerHello.
  mutating func take(found suite: CipherSuite) {
    version = 0x0304
    self.suite = suite
    leastExpansion = suite.leastExpansion(version: version)
    hasServerHello = true
  }

  /// The name for secrets of a session that a ticket stands for. Tickets have any length.
  static func name(ofTicket ticket: ArraySlice<UInt8>) -> SecretName? {
    guard !ticket.isEmpty else { return nil }
    return SHA256.digest(Array(ticket)).withOctets { SecretName(.session, $0) }
  }

  /// Octets of its own memory.
  var memory: Int { MemoryLayout<Negotiation>.stride + 32 + 96 + copies.reduce(0) { $0 + $1.count + 32 } }
}
