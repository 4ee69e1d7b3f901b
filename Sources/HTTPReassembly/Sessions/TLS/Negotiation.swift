import Cryptography

/// What the hellos of a connection say that its keys depend on.
struct Negotiation {
  /// The client's random; nil while no ClientHello was read.
  var client: SecretName?
  /// The server's random, then the client's: what keys are expanded with (RFC 5246 §6.3).
  var randoms: [UInt8] = Array(repeating: 0, count: 64)
  /// The session that the server named, where it named one.
  var session: SecretName?
  /// The ticket that the client offered, and the one that the server issued (RFC 5077), by their digests.
  var offeredTicket: SecretName?
  var issuedTicket: SecretName?
  /// The start of the encrypted pre-master secret, of RSA key exchange.
  var encryptedPremaster: SecretName?
  var version: UInt16 = 0
  var suite: CipherSuite?
  var encryptsThenMACs = false
  var extendsMasterSecret = false
  /// Octets behind a record's header that are no content, at least; nil where that is not known.
  var leastExpansion: Int?
  /// Whether a ServerHello that is no HelloRetryRequest was read.
  var hasServerHello = false
  var offersEarlyData = false
  /// Whether the server takes the early data; nil while that is not known.
  var takesEarlyData: Bool?
  /// Octets of the session that the client asked for; no more than tell whether the server resumes it.
  var offeredSession: SecretName?
  /// Whether the master secret was handed to who saves secrets.
  var hasNotedMaster = false
  /// Whether the server sent messages that a resumed session has none of.
  var isFull = false

  var isTLS13: Bool { version >= 0x0304 }

  /// A ClientHello begins a negotiation: the first one, one that is repeated after a HelloRetryRequest, or one of a renegotiation.
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

  /// A ServerHello chooses.
  mutating func take(server hello: Hello) {
    version = hello.version
    suite = CipherSuite(hello.suite)
    encryptsThenMACs = hello.extensions.contains(.encryptThenMAC)
    extendsMasterSecret = hello.extensions.contains(.extendedMasterSecret)
    leastExpansion = suite?.leastExpansion(version: version)
    for index in 0..<32 { randoms[index] = hello.random[index] }
    session = hello.session.withOctets { SecretName(.session, $0.extracting(0..<hello.sessionLength)) }
  }

  /// What secrets of a session are called that a ticket stands for: tickets have any length.
  static func name(ofTicket ticket: ArraySlice<UInt8>) -> SecretName? {
    guard !ticket.isEmpty else { return nil }
    return SHA256.digest(Array(ticket)).withOctets { SecretName(.session, $0) }
  }

  /// Octets of memory that it takes, of its own.
  static var memory: Int { MemoryLayout<Negotiation>.stride + 32 + 96 }
}
