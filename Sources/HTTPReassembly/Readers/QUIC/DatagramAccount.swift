/// The result of trying to open a packet.
enum QUICOpening {
  case opened(number: Int, length: Int)
  /// Its keys may still come.
  case waits
  case closed
}

/// The kinds of octets of a datagram, or of a packet that was held (MEASURES §8). Stream data is not among them.
struct DatagramAccount {
  let side: Side
  /// Octets of its IP and UDP headers.
  var overhead: Int
  let arrival: SegmentArrival
  /// Whether it was read before, and its packet has waited for keys.
  let hasWaited: Bool
  /// CRYPTO data.
  var handshake = 0
  /// Other octets of opened packets, packets without protection, and octets behind a datagram's last packet.
  var packet = 0
  /// Those of 0-RTT and 1-RTT packets among `packet`. They are charged as a record of TLS is.
  var record = 0
  /// Whole packets that were not opened.
  var protected = 0
  /// Whole packets that were captured before.
  var repeated = 0
  /// Stream data that was captured before.
  var repeatedData = 0
  /// The octets that decide the owner: the first new ones of a stream with messages, else the first of any.
  var owner: (stream: UInt64, charge: Charge)?
  var ownerIsNew = false
  /// The message that owns the first DATAGRAM frame. It decides if no octets of a stream do.
  var message = MessageReference.none
  /// Whether a packet of the application acknowledges others.
  var acknowledges = false

  init(side: Side, overhead: Int, arrival: SegmentArrival, hasWaited: Bool = false) {
    self.side = side
    self.overhead = overhead
    self.arrival = arrival
    self.hasWaited = hasWaited
  }

  /// Takes octets of a stream as those that decide the owner, if they decide better than the ones before.
  mutating func offer(_ stream: UInt64, at position: StreamPosition, length: Int, isNew: Bool) {
    // Requests and responses have streams of both directions (RFC 9114 §6.1).
    func rank(_ isNew: Bool, _ stream: UInt64) -> Int { (isNew ? 2 : 0) + (stream & 2 == 0 ? 1 : 0) }
    if let owner, rank(isNew, stream) <= rank(ownerIsNew, owner.stream) { return }
    guard length > 0 else { return }
    ownerIsNew = isNew
    owner = (stream, Charge(position: position, retransmitted: 0, overhead: 0, length: length))
  }
}
