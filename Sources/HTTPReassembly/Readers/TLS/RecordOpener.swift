import Cryptography

/// The state in which the records of one direction are opened.
struct RecordOpener {
  /// The secret that the keys come from.
  enum Epoch: UInt8, Comparable {
    /// TLS 1.3, client only: the secret of early data.
    case early
    /// TLS 1.3: the secret of the handshake.
    case handshake
    /// TLS 1.3: the secret of the application's data, and the secrets derived from it.
    case application
    /// TLS up to 1.2.
    case master

    static func < (a: Epoch, b: Epoch) -> Bool { a.rawValue < b.rawValue }
  }

  /// Keys to try.
  struct Candidate {
    var epoch: Epoch
    var suite: CipherSuite
    /// The number of key updates from that secret to these keys.
    var updates = 0
    /// The place of the secret that they come from.
    var place: SecretPlace
    var protection: RecordProtection
  }

  var epoch = Epoch.handshake
  /// The number of key updates in the epoch `application`.
  var updates = 0
  /// The secret after so many of these updates, from which the next one follows.
  var updated: (count: Int, secret: SecretOctets)?
  /// The keys in use, once a record has been opened with them.
  var protection: RecordProtection?
  /// Keys to try, of the current epoch and the later ones.
  var candidates: [Candidate] = []
  /// The number of trials of keys since they may have changed.
  var trials = 0
  /// The number of the next record under the current keys.
  var sequence: UInt64 = 0
  /// The number of unopened records since the keys may have changed.
  var skipped = 0
  /// Whether the latest record was the first one that was opened under these keys.
  var isFirst = false
  /// Whether records may have been lost before the next one.
  var mayHaveLost = false
  /// The number of secrets that were known at the last search for keys.
  var knownSecrets = 0
  /// Records of the application's data and their places.
  var map = RecordMap()
  /// The octets of the current record behind its header.
  var gathered: [UInt8] = []
  /// Octets that are searched for the start of a record.
  var searched: [UInt8] = []
  /// The number of records that were tried for this search.
  var attempts = 0
  /// Whether records were padded.
  var hasPadding = false
  /// Data that the inner session does not take before the other side has been read, or whose acknowledgment has no place yet.
  var held: [Held] = []

  /// Octets of the application that wait, or a gap among them.
  struct Held {
    var position: StreamPosition
    var octets: [UInt8]
    /// Its acknowledgment is a position in the other side's TCP stream.
    var arrival: SegmentArrival
    /// The number of octets in the gap; 0 for octets.
    var missing = 0
    var certainty = GapCertainty.exact
  }

  /// Changes the keys. The first record under the next keys has the number 0.
  mutating func start(_ epoch: Epoch) {
    self.epoch = epoch
    updates = 0
    protection = nil
    candidates = []
    sequence = 0
    skipped = 0
    trials = 0
    mayHaveLost = false
  }

  /// Octets of its own memory.
  var memory: Int {
    mutating get {
      MemoryLayout<RecordOpener>.stride + 32 + map.memory + gathered.capacity + searched.capacity
        + ((protection == nil ? 0 : 1) + candidates.count) * RecordProtection.memory
        + held.reduce(0) { $0 + $1.octets.count + MemoryLayout<Held>.stride }
    }
  }
}

/// The cipher and the IV that a traffic secret of TLS 1.3 gives (RFC 8446 §7.3).
///
/// QUIC derives its own from the same secrets, with other labels (RFC 9001 §5.1, RFC 9369 §3.3.2).
struct TrafficKeys {
  let cipher: RecordCipher
  let initial: InlineArray<12, UInt8>

  /// The labels of a protocol's keys.
  enum Labels {
    case tls
    case quic
    case secondQUIC

    var key: StaticString { choose("key", "quic key", "quicv2 key") }
    var initial: StaticString { choose("iv", "quic iv", "quicv2 iv") }
    /// The label of the key for headers, which only QUIC has.
    var header: StaticString { choose("", "quic hp", "quicv2 hp") }
    var update: StaticString { choose("traffic upd", "quic ku", "quicv2 ku") }

    private func choose(_ tls: StaticString, _ quic: StaticString, _ second: StaticString) -> StaticString {
      switch self {
      case .tls: tls
      case .quic: quic
      case .secondQUIC: second
      }
    }
  }

  /// Nil if the secret has the wrong length, or this libcrypto lacks the cipher.
  init?(_ secret: RawSpan, _ suite: CipherSuite.Protection, _ labels: Labels) {
    guard secret.byteCount == suite.digest.length,
      let key = KeyDerivation.expandLabel(labels.key, of: secret, suite.digest, length: suite.cipher.keyLength),
      let vector = KeyDerivation.expandLabel(labels.initial, of: secret, suite.digest, length: 12),
      let cipher = key.withOctets({ RecordCipher(suite.cipher, key: $0) })
    else { return nil }
    self.cipher = cipher
    var initial = InlineArray<12, UInt8>(repeating: 0)
    vector.withOctets { for index in 0..<12 { initial[index] = $0.octet(index) } }
    self.initial = initial
  }

  /// The secret that follows from one by an update of keys (RFC 8446 §7.2, RFC 9001 §6.1).
  static func update(_ secret: RawSpan, _ suite: CipherSuite.Protection, _ labels: Labels) -> SecretOctets? {
    KeyDerivation.expandLabel(labels.update, of: secret, suite.digest, length: suite.digest.length)
  }

  /// The nonce of a record or packet: the IV and the number by exclusive or (RFC 8446 §5.3).
  @inline(__always)
  func nonce(_ number: Int) -> InlineArray<12, UInt8> {
    var nonce = initial
    for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * index)) }
    return nonce
  }
}
