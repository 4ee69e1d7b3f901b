import Cryptography

/// What opens the records of one direction, and what comes out of them.
struct RecordOpener {
  /// From which secret the keys are.
  enum Epoch: UInt8, Comparable {
    /// TLS 1.3, client only: the secret of early data.
    case early
    /// TLS 1.3: the secret of the handshake.
    case handshake
    /// TLS 1.3: the secret of the application's data, and those that follow from it.
    case application
    /// TLS up to 1.2.
    case master

    static func < (a: Epoch, b: Epoch) -> Bool { a.rawValue < b.rawValue }
  }

  var epoch = Epoch.handshake
  /// Updates of keys in the epoch `application`.
  var updates = 0
  /// The secret after so many of these updates, from which the next one follows.
  var updated: (count: Int, secret: SecretOctets)?
  /// The keys in use, once a record has been opened with them.
  var protection: RecordProtection?
  /// Keys that are tried, of the epoch in use and the one after it.
  var candidates: [(epoch: Epoch, protection: RecordProtection)] = []
  /// Number of the next record under the keys in use.
  var sequence: UInt64 = 0
  /// Records that were not opened since the keys may have changed.
  var skipped = 0
  /// Whether records may have been lost before the next one.
  var mayHaveLost = false
  /// Secrets that were known when keys were looked for last.
  var knownSecrets = 0
  /// Records of the application's data, and where they are.
  var map = RecordMap()
  /// The octets of the record that is being read, behind its header.
  var gathered: [UInt8] = []
  /// Octets in which the start of a record is looked for.
  var searched: [UInt8] = []
  /// Records that were tried for that.
  var attempts = 0
  /// What the inner session does not take before the other side has been read.
  var held: [Held] = []

  /// Octets of the application that wait.
  struct Held {
    var position: StreamPosition
    var octets: [UInt8]
    var arrival: SegmentArrival
  }

  /// The keys change: the first record under the next ones has the number 0.
  mutating func start(_ epoch: Epoch) {
    self.epoch = epoch
    updates = 0
    protection = nil
    candidates = []
    sequence = 0
    skipped = 0
    mayHaveLost = false
  }

  /// Octets of memory that it takes, of its own.
  var memory: Int {
    MemoryLayout<RecordOpener>.stride + 32 + map.memory + gathered.capacity + searched.capacity
      + ((protection == nil ? 0 : 1) + candidates.count) * RecordProtection.memory
      + held.reduce(0) { $0 + $1.octets.count + MemoryLayout<Held>.stride }
  }
}
