import Cryptography

/// The keys of one side at one level, with those before and after an update (RFC 9001 §6).
struct KeyPhases {
  private let suite: CipherSuite.Protection
  private let labels: TrafficKeys.Labels
  private var current: PacketKeys
  /// The secret of the current keys; nil where keys are not updated.
  private var secret: SecretOctets?
  /// The bit of the current phase in headers.
  private var phase = false
  /// The lowest number of a packet that the current keys opened.
  private var start = 0
  /// The keys before the last update, for packets out of order.
  private var previous: PacketKeys?
  /// The keys after the next update, made when a header has the other bit.
  private var next: (keys: PacketKeys, secret: SecretOctets)?

  /// The number of updates that may be lost together.
  static let updateLimit = 4
  /// Further numbers that are tried for a packet after lost ones. Each is a whole range of its encoded octets later.
  static let numberLimit = 16
  /// Trials of such numbers and updates on one side. A packet that is opened at once gives one back.
  static let trialLimit = 1024

  /// Octets of memory.
  var memory: Int { PacketKeys.memory * (1 + (previous == nil ? 0 : 1) + (next == nil ? 0 : 1)) }

  /// The keys that a secret gives; nil if this libcrypto cannot make them.
  init?(_ secret: RawSpan, _ suite: CipherSuite.Protection, _ labels: TrafficKeys.Labels) {
    guard let keys = PacketKeys(secret, suite, labels) else { return nil }
    self.suite = suite
    self.labels = labels
    self.secret = SecretOctets(secret)
    current = keys
  }

  /// The keys of Initial packets, which are not updated.
  init?(initial id: QUICConnectionID, _ version: QUICVersion, ofClient isClient: Bool) {
    guard let keys = PacketKeys(initial: id, version, ofClient: isClient) else { return nil }
    suite = .init(cipher: .aes128GCM, digest: .sha256, mac: nil)
    labels = version.labels
    current = keys
  }

  /// Opens a packet. Returns its number and the number of octets of its frames; nil when no tag verifies.
  ///
  /// `largest` is the largest number of a packet before; -1 without one. `trials` is what is left of the trials.
  mutating func open(
    _ place: PacketPlace, in payload: RawSpan, after largest: Int, trials: inout Int, _ room: inout PacketRoom
  ) -> (number: Int, length: Int)? {
    guard let head = current.unprotect(place, in: payload, &room) else { return nil }
    let number = PacketNumbers.decode(head.truncated, bits: head.numberLength * 8, after: largest)
    let isCurrent = place.isLong || head.phase == phase
    if isCurrent {
      if let length = current.open(place, head, in: payload, number: number, &room) {
        if number < start { start = number }
        trials = min(trials + 1, Self.trialLimit)
        return (number, length)
      }
    } else if let opened = openOther(place, head, in: payload, number, &room) {
      trials = min(trials + 1, Self.trialLimit)
      return opened
    }
    return trials > 0 ? search(place, head, in: payload, number, trials: &trials, &room) : nil
  }

  /// Opens a packet of another phase: an earlier one out of order, or the first of the next.
  private mutating func openOther(
    _ place: PacketPlace, _ head: PacketHead, in payload: RawSpan, _ number: Int, _ room: inout PacketRoom
  ) -> (number: Int, length: Int)? {
    if number < start, let previous, let length = previous.open(place, head, in: payload, number: number, &room) {
      return (number, length)
    }
    makeNext()
    guard let next, let length = next.keys.open(place, head, in: payload, number: number, &room) else { return nil }
    update(to: next, at: number)
    return (number, length)
  }

  private mutating func makeNext() {
    guard next == nil, let secret else { return }
    next = follow(secret)
  }

  private func follow(_ secret: SecretOctets) -> (keys: PacketKeys, secret: SecretOctets)? {
    guard let made = secret.withOctets({ TrafficKeys.update($0, suite, labels) }),
      let keys = made.withOctets({ PacketKeys($0, suite, labels, after: current) })
    else { return nil }
    return (keys, made)
  }

  private mutating func update(to keys: (keys: PacketKeys, secret: SecretOctets), at number: Int) {
    previous = current
    current = keys.keys
    secret = keys.secret
    next = nil
    phase.toggle()
    start = number
  }

  /// Looks for the number and the keys of a packet behind lost ones: its number may be far ahead, and updates may be lost.
  @inline(never)
  private mutating func search(
    _ place: PacketPlace, _ head: PacketHead, in payload: RawSpan, _ number: Int, trials: inout Int,
    _ room: inout PacketRoom
  ) -> (number: Int, length: Int)? {
    let isCurrent = place.isLong || head.phase == phase
    guard let keys = isCurrent ? current : next?.keys else { return nil }
    for step in 1...Self.numberLimit where trials > 0 {
      trials -= 1
      let later = number + step << (head.numberLength * 8)
      guard later >= 0, later < 1 << 62 else { break }
      guard let length = keys.open(place, head, in: payload, number: later, &room) else { continue }
      if !isCurrent, let next { update(to: next, at: later) }
      return (later, length)
    }
    guard !place.isLong, let secret else { return nil }
    var made = (keys: current, secret: secret)
    for updates in 1...Self.updateLimit where trials > 0 {
      trials -= 1
      guard let following = follow(made.secret) else { return nil }
      made = following
      guard updates > 1, (updates % 2 == 0) == isCurrent,
        let length = made.keys.open(place, head, in: payload, number: number, &room)
      else { continue }
      update(to: made, at: number)
      previous = nil
      // After an even number of updates, the bit is the same again.
      phase = head.phase
      return (number, length)
    }
    return nil
  }
}
