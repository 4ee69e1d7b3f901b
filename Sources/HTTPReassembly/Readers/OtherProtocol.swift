import Packets

/// A protocol that is not read: its octets are `opaque`, and belong to no message. A subclass reads one.
class OtherProtocol {
  func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    run.settle(octets.byteCount, as: .opaque, of: side)
    run.connection.added.unattributed += octets.byteCount
    return Taken(count: octets.byteCount, needs: [])
  }

  func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    run.settle(count, as: .opaque, of: side)
    run.connection.added.unattributed += count
    run.countUnseen(count)
    return []
  }

  func skipMissing(_ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run) -> StreamNeeds {
    run.countMissing(count)
    return []
  }

  func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    run.countMissing(-range.count)
    run.acceptLate(range.count, as: .opaque)
  }

  func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += charge.unplaced + charge.retransmitted
  }

  func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += overhead
  }

  func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {}

  func close(_ run: inout Run) -> SessionEnd {
    SessionEnd(client: nil, requestSide: nil, applicationProtocol: .other)
  }
}
