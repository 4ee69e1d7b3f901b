import Packets

// Charges and conflicts, by the records that hold their octets (MEASURES §6).

extension TLSSession {
  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    guard !charge.isEmpty else { return }
    let resolved = sides.look(side) { $0.hasStarted ? $0.resolved : .unknown }
    if charge.end > resolved, pending.keep(charge, of: side, run) { return count(&run) }
    give(charge, to: side, &run)
  }

  /// Charges a packet to the messages that own its octets; the rest goes to the connection.
  mutating func give(_ charge: Charge, to side: Side, _ run: inout Run) {
    guard let inner, let opener = sides[side].opener else {
      run.connection.added.unattributed += charge.unplaced + charge.retransmitted
      return
    }
    withInner(&run) { run in
      var left = charge.retransmitted
      var content: Range<StreamPosition>?
      let range = charge.range
      for index in opener.value.map.firstIndex(after: range.lowerBound)..<opener.value.map.count {
        let entry = opener.value.map[index]
        guard entry.start < range.upperBound else { break }
        guard entry.isOpened, entry.count > 0 else { continue }
        let places = range.clamped(to: entry.place)
        if !places.isEmpty {
          let offset = entry.content - entry.place.lowerBound
          let octets = places.lowerBound + offset..<places.upperBound + offset
          content = (content?.lowerBound ?? octets.lowerBound)..<octets.upperBound
        }
        guard charge.retransmitted > 0 else { continue }
        let beside = range.clamped(to: entry.start..<entry.end).count - places.count
        var part = Charge(
          position: entry.content, retransmitted: 0, overhead: 0, length: Int(entry.count), repeatedRecord: beside)
        inner.charge(part, to: side, &run)
        if !places.isEmpty {
          part = Charge(
            position: entry.content + places.lowerBound - entry.place.lowerBound, retransmitted: places.count,
            overhead: 0)
          inner.charge(part, to: side, &run)
        }
        left -= beside + places.count
      }
      run.connection.added.unattributed += left
      guard charge.unplaced > 0 else { return }
      if let content {
        inner.charge(
          Charge(
            position: content.lowerBound, retransmitted: 0, overhead: charge.overhead, length: content.count,
            record: charge.record, repeatedRecord: charge.repeatedRecord),
          to: side, &run)
      } else {
        run.connection.added.unattributed += charge.unplaced
      }
    }
  }

  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    guard let inner else {
      run.connection.added.unattributed += overhead
      return
    }
    withInner(&run) { inner.chargeAcknowledgment(overhead, to: side, &$0) }
  }

  /// Charges the segments whose octets are all known, and the charges that waited for them.
  mutating func settle(_ side: Side, _ run: inout Run) {
    let resolved = sides.look(side) { $0.resolved }
    while let share = sides[side].shares.removeFirst(through: resolved) {
      if share.arrival.overhead == 0 { continue }
      if let inner, !share.content.isEmpty {
        let charge = Charge(
          position: share.content.lowerBound, retransmitted: 0, overhead: share.arrival.overhead,
          length: share.content.count)
        withInner(&run) { inner.charge(charge, to: side, &$0) }
      } else if share.kinds == .handshake {
        facts.handshake += share.arrival.overhead
      } else {
        run.connection.added.unattributed += share.arrival.overhead
      }
    }
    if !pending.isEmpty { settlePending(side, &run) }
  }

  mutating func settlePending(_ side: Side, _ run: inout Run) {
    guard sides[side].hasStarted else { return }
    let resolved = sides.look(side) { $0.resolved }
    for range in pending.takeConflicts(side, where: { $0.upperBound <= resolved }) { flag(range, on: side, &run) }
    for charge in pending.takeCharges(side, where: { $0.end <= resolved }) { give(charge, to: side, &run) }
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    let resolved = sides.look(side) { $0.hasStarted ? $0.resolved : .unknown }
    if range.upperBound > resolved, pending.keep(range, of: side) { return count(&run) }
    flag(range, on: side, &run)
  }

  /// Flags the messages whose records contain octets of a range.
  private mutating func flag(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    guard let inner, let opener = sides[side].opener else { return }
    for index in opener.value.map.firstIndex(after: range.lowerBound)..<opener.value.map.count {
      let entry = opener.value.map[index]
      guard entry.start < range.upperBound else { break }
      guard entry.isOpened, entry.count > 0 else { continue }
      withInner(&run) { inner.flagConflict(entry.octets, on: side, &$0) }
    }
  }

  func acceptLate(_ range: Range<StreamPosition>, _ run: inout Run) {
    run.countMissing(-range.count)
    run.acceptLate(range.count, as: .tls)
  }
}
