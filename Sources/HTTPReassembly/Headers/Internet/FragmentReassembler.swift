/// Reassembles IP datagrams from fragments (RFC 791 §3.2, RFC 8200 §4.5), and frames from fragments of CAPWAP (RFC 5415 §3.4), within
/// limits.
///
/// A datagram takes the first captured copy of an octet. Octets of fragments are `Ledger.pending` while they are held.
///
/// Octets without an owner are class `udp` when the protocol is UDP, else `other_ip`, since no transport header names
/// their connection. They are repeated octets, and octets of senseless fragments and of datagrams that are given up.
struct FragmentReassembler {
  private let datagramLimit: Int
  private let octetLimit: Int
  private let timeout: Int64
  private let fragmentLimit: Int

  private var slots: [IncompleteDatagram?] = []
  private var freeSlots: [Int] = []
  private var slotOfKey: [IncompleteDatagram.Key: Int] = [:]
  private var oldest: Int?
  private var newest: Int?
  /// Octets that all datagrams occupy.
  private var held = 0

  init(configuration: Configuration) {
    datagramLimit = max(1, configuration.fragmentedDatagramLimit)
    octetLimit = configuration.fragmentOctetLimit
    timeout = configuration.fragmentTimeout
    fragmentLimit = configuration.fragmentsPerDatagramLimit
  }

  /// Takes the fragment that ended `dissection`, and returns the datagram if it is complete now.
  ///
  /// The fragment's headers have been charged. This function charges its payload, or makes it pending.
  mutating func add(
    _ dissection: borrowing Dissection, _ octets: RawSpan, now: Int64, ledger: inout Ledger, anomalies: inout AnomalyLog
  ) -> ReassembledDatagram? {
    expire(now: now, ledger: &ledger, anomalies: &anomalies)
    let fragment = dissection.fragment
    // Offsets count units of 8 octets. Except in the last fragment, octets beyond the last whole unit have no offset.
    let length = fragment.hasMore ? dissection.room & ~7 : dissection.room
    let end = fragment.offset + length
    if length != dissection.room { anomalies.note(.fragmentMalformed) }
    ledger.charge(dissection.room - length, to: fragment.octetClass)
    // No receiver takes a fragment with a wrong header checksum, or a datagram longer than 65,535 octets.
    guard !dissection.hasBadChecksum, end <= 0xffff else {
      if end > 0xffff { anomalies.note(.fragmentMalformed) }
      ledger.charge(length, to: fragment.octetClass)
      return nil
    }
    let key = IncompleteDatagram.Key(
      source: dissection.source, destination: dissection.destination, identification: fragment.identification,
      protocolNumber: dissection.isIPv6 ? 0 : fragment.protocolNumber, isIPv6: dissection.isIPv6,
      isFrame: fragment.frame != nil)
    let slot = slotOfKey[key] ?? begin(key, fragment, now: now, ledger: &ledger, anomalies: &anomalies)
    // Outside its slot, the datagram is the only owner of its arrays.
    guard var datagram = slots[slot].take() else {
      ledger.charge(length, to: fragment.octetClass)
      return nil
    }
    held -= datagram.cost
    datagram.networkLength += dissection.network
    datagram.tunnelLength += dissection.tunnel
    datagram.fragments += 1
    if datagram.fragments > fragmentLimit {
      anomalies.note(.fragmentBeyondLimit)
      ledger.charge(length, to: fragment.octetClass)
    } else if !datagram.accepts(end: end, isLast: !fragment.hasMore) {
      anomalies.note(.fragmentConflict)
      ledger.charge(length, to: fragment.octetClass)
    } else {
      if !fragment.hasMore { datagram.length = end }
      if fragment.offset == 0, datagram.leading.offset != 0 { datagram.leading = fragment }
      let start = min(dissection.offset, dissection.captured)
      let captured = start..<min(start + length, dissection.captured)
      let insertion = datagram.insert(fragment.offset..<end, octets.extracting(captured))
      if insertion.hasOverlap { anomalies.note(.fragmentOverlap) }
      if insertion.hasConflict { anomalies.note(.fragmentConflict) }
      ledger.charge(length - insertion.newOctets, to: fragment.octetClass)
      ledger.pending += insertion.newOctets
    }

    held += datagram.cost
    let completed = datagram.isComplete ? datagram.reassembled() : nil
    slots[slot] = datagram
    if let completed {
      remove(slot)
      ledger.pending -= completed.length
      return completed
    }
    while held > octetLimit, let first = oldest {
      anomalies.note(.fragmentTableFull)
      giveUp(first, ledger: &ledger)
    }
    return nil
  }

  /// Gives up every datagram.
  mutating func finish(ledger: inout Ledger, anomalies: inout AnomalyLog) {
    while let slot = oldest {
      anomalies.note(.fragmentIncomplete)
      giveUp(slot, ledger: &ledger)
    }
  }

  /// Gives up the datagrams whose first fragment is older than the timeout.
  private mutating func expire(now: Int64, ledger: inout Ledger, anomalies: inout AnomalyLog) {
    while let slot = oldest, let datagram = slots[slot], now &- datagram.firstTime > timeout {
      anomalies.note(.fragmentIncomplete)
      giveUp(slot, ledger: &ledger)
    }
  }

  /// Begins a datagram. If there are too many, the oldest is given up.
  private mutating func begin(
    _ key: IncompleteDatagram.Key, _ fragment: Fragment, now: Int64, ledger: inout Ledger, anomalies: inout AnomalyLog
  ) -> Int {
    if slotOfKey.count >= datagramLimit, let first = oldest {
      anomalies.note(.fragmentTableFull)
      giveUp(first, ledger: &ledger)
    }
    let datagram = IncompleteDatagram(key: key, firstTime: now, leading: fragment, older: newest)
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
      slots[slot] = datagram
    } else {
      slot = slots.count
      slots.append(datagram)
    }
    slotOfKey[key] = slot
    if let newest { slots[newest]?.newer = slot } else { oldest = slot }
    newest = slot
    return slot
  }

  /// Charges an incomplete datagram and forgets it.
  private mutating func giveUp(_ slot: Int, ledger: inout Ledger) {
    if let datagram = slots[slot] {
      ledger.pending -= datagram.received
      ledger.charge(datagram.received, to: datagram.leading.octetClass)
    }
    remove(slot)
  }

  /// Takes a datagram out of the table.
  private mutating func remove(_ slot: Int) {
    guard let datagram = slots[slot] else { return }
    held -= datagram.cost
    slotOfKey[datagram.key] = nil
    if let older = datagram.older { slots[older]?.newer = datagram.newer } else { oldest = datagram.newer }
    if let newer = datagram.newer { slots[newer]?.older = datagram.older } else { newest = datagram.older }
    slots[slot] = nil
    freeSlots.append(slot)
  }
}
