/// A connection of TLS that is not opened: its records are counted, and nothing in them is read.
struct TLSSession {
  var opening: ConnectionOpening
  /// The records of each side; nil for a side that has not started.
  private(set) var records = Sides<TLSRecords?>(repeating: nil)
  /// Whether octets of it were never captured, in which messages may have been.
  private(set) var mayHaveLostMessages: Bool
  /// Charges of a side that has not started.
  private var pending: PendingCharges?
  private var counted = 0

  init(_ opening: ConnectionOpening, _ run: inout Run) {
    self.opening = opening
    mayHaveLostMessages = !opening.isSeen
    count(&run)
  }

  /// Whether a side is TLS, or may be one when it starts with `octet`.
  func canRead(_ side: Side, firstOctet: UInt8?) -> Bool {
    records[side] != nil || firstOctet.map { TLSRecords.canStart(with: $0) } ?? false
  }

  /// Reads octets of a side. False, and nothing has changed, when they are not TLS: only for a first record.
  mutating func receive(_ side: Side, _ octets: RawSpan, _ arrival: SegmentArrival, _ run: inout Run) -> Bool {
    var reading = records[side] ?? TLSRecords()
    guard !reading.refuses(octets) else { return false }
    _ = reading.consume(octets, ledger: &run.ledger)
    let hadStarted = records[side] != nil
    records[side] = reading
    run.connection.added.unattributed += octets.byteCount + arrival.overhead
    if !hadStarted { settle(side, &run) }
    return true
  }

  mutating func skipUnseen(_ side: Side, _ count: Int, _ arrival: SegmentArrival, _ run: inout Run) {
    records[side]?.skip(count, isInPacket: true, ledger: &run.ledger)
    run.connection.added.unattributed += count + arrival.overhead
    run.countUnseen(count)
    mayHaveLostMessages = true
  }

  mutating func skipMissing(_ side: Side, _ count: Int, _ run: inout Run) {
    records[side]?.skip(count, isInPacket: false, ledger: &run.ledger)
    countMissing(count, &run)
  }

  private mutating func countMissing(_ count: Int, _ run: inout Run) {
    run.countMissing(count)
    mayHaveLostMessages = true
  }

  mutating func finish(_ side: Side, _ run: inout Run) { records[side]?.finish(&run.ledger) }

  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    guard charge.overhead > 0 || charge.retransmitted > 0 else { return }
    guard records[side] == nil, (pending?.charges[side].count ?? 0) < run.configuration.pendingChargeLimit else {
      run.connection.added.unattributed += charge.overhead + charge.retransmitted
      return
    }
    PendingCharges.open(&pending).charges[side].append(charge)
    count(&run)
  }

  /// Only of a side that has not started may octets turn out to be a message's.
  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    guard records[side] == nil, (pending?.conflicts[side].count ?? 0) < PendingCharges.conflictLimit else { return }
    PendingCharges.open(&pending).conflicts[side].append(range)
    count(&run)
  }

  func acceptLate(_ range: Range<StreamPosition>, _ run: inout Run) {
    run.countMissing(-range.count)
    run.acceptLate(range.count, as: .tls)
  }

  mutating func close(_ run: inout Run) -> SessionEnd {
    for side in 0..<2 { settle(side, &run) }
    run.connectionMemory -= counted
    let isConfirmed = records[0]?.isConfirmed == true || records[1]?.isConfirmed == true
    return SessionEnd(client: nil, requestSide: nil, applicationProtocol: isConfirmed ? .tls : .other)
  }

  /// Gives what waits away, and with it the memory that was counted.
  mutating func takePending() -> PendingCharges? { pending.take() }

  /// The charges of a side belong to no message.
  private mutating func settle(_ side: Side, _ run: inout Run) {
    guard let pending else { return }
    for charge in pending.charges[side] {
      run.connection.added.unattributed += charge.overhead + charge.retransmitted
    }
    pending.charges[side] = []
    pending.conflicts[side] = []
    count(&run)
  }

  private mutating func count(_ run: inout Run) {
    let memory = MemoryLayout<TLSSession>.stride + 32 + (pending?.memory ?? 0)
    run.connectionMemory += memory - counted
    counted = memory
  }

  /// Takes back the memory that was counted: another session goes on.
  mutating func release(_ run: inout Run) {
    run.connectionMemory -= counted
    counted = 0
  }
}
