// Packets that are charged to the owners of octets of streams (MEASURES §6).

extension HTTP3Session {
  /// Charges a packet to the owner of octets of a stream, and what no message owns to the connection.
  mutating func charge(_ charge: Charge, stream: UInt64, to side: Side, _ run: inout Run) {
    guard !charge.isEmpty else { return }
    guard let flow = known(side, stream) else {
      run.connection.added.unattributed += charge.unplaced + charge.retransmitted
      return
    }
    let isKnown =
      charge.end <= flow.value.settledPosition
      || charge.retransmitted == 0 && flow.look { !$0.owners.firstOwner(in: charge.range).isNone }
    if !isKnown, !flow.value.isEnded, flow.value.charges.count < run.configuration.pendingChargeLimit {
      flow.value.charges.insert(charge)
      update(flow, &run)
    } else {
      flow.look { streams.settle(charge, $0.owners, of: side, &run) }
    }
  }

  /// Notes that octets of a stream came again with different content.
  mutating func flagConflict(_ range: Range<StreamPosition>, stream: UInt64, on side: Side, _ run: inout Run) {
    guard let flow = flows[side][stream] else { return }
    streams.flag(range, flow.value.owners, of: side, &run)
  }

  /// Takes octets of a gap that come after it was given up.
  mutating func acceptLate(_ range: Range<StreamPosition>, stream: UInt64, on side: Side, _ run: inout Run) {
    run.read(side)
    guard let flow = flows[side][stream] else {
      run.countMissing(-range.count)
      return run.acceptLate(range.count, as: .stray)
    }
    streams.acceptLate(range, flow.value.owners, on: side, &run)
  }

  /// Charges a packet without stream data to the owner of the latest octets of the side that it acknowledges.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += latest[side].chargeAcknowledgment(overhead, &run.rows)
  }
}
