import Packets

/// A connection of TLS. Its records are counted, and its hellos are read.
///
/// Records with known secrets are opened, and their data delivered to an inner session (MEASURES §6).
struct TLSSession {
  var opening: ConnectionOpening
  let sides = OwnPair(TLSSide(), TLSSide())
  /// The reader of the application's data, from the first opened record on.
  var inner: Reader?
  /// The inner session's current needs.
  var innerNeeds: StreamNeeds = []
  /// The known facts about the connection's TLS.
  var facts = ConnectionSecurity()
  /// The parameters of the keys; nil until a hello is read.
  var negotiation: OwnMemory<Negotiation>?
  /// The side that sent a ClientHello, or was answered with a ServerHello.
  @OptionalSide var client: Side? = nil
  /// Whether the name in the clear may stand for another one.
  var isNamePublic = false
  /// Octets of unopened records of application data.
  private(set) var unopened = 0
  /// The capture time of the first octet of the first ClientHello.
  @OptionalTime var helloTime: Int64? = nil
  /// The capture time of the last octet of the handshake before the client may send data.
  @OptionalTime var handshakeTime: Int64? = nil
  /// Whether early data was held until the server's answer.
  var holdsEarlyData = false
  /// Whether the session has stopped waiting for secrets that did not come.
  var hasGivenUpSecrets = false
  /// Whether data of the client has been opened.
  var hasClientData = false
  /// The duration of the handshake, for the first exchange.
  @OptionalTime var handshakeDuration: Int64? = nil
  /// Whether octets of the connection were never captured. They may have contained messages.
  var mayHaveLostMessages: Bool
  /// Charges that wait until the owners of their octets are known.
  var pending = PendingCharges()
  private var counted = 0

  init(_ opening: ConnectionOpening, _ run: inout Run) {
    self.opening = opening
    mayHaveLostMessages = !opening.isSeen
    count(&run)
  }

  /// Whether a side is TLS, or may be TLS when it starts with an octet; nil means that the octet was not captured.
  func canRead(_ side: Side, firstOctet: UInt8?) -> Bool {
    // An opened connection is TLS on both sides, regardless of later octets.
    if sides.look(side, { $0.hasStarted }) || inner != nil { return true }
    // A gap where a side begins hides a record if the other side has sent a hello.
    guard let firstOctet else { return negotiation != nil }
    return TLSRecords.canStart(with: firstOctet)
  }

  /// Whether octets of a side are not TLS. Only a first record can show that.
  func refuses(_ side: Side, _ octets: RawSpan) -> Bool {
    guard canRead(side, firstOctet: octets.octet(0)) else { return true }
    return inner == nil && sides.look(side) { $0.refuses(octets) }
  }

  // MARK: Octets

  /// Reads octets of a side, which it does not refuse.
  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    let hadStarted = start(side, at: position)
    let range = position..<position + octets.byteCount
    run.connection.added.unattributed += sides[side].shares.append(
      range, arrival, limit: run.configuration.pendingChargeLimit)
    let taken = read(side, octets, &run)
    limitHeld(arrival, &run)
    offerHeld(&run)
    settle(side, &run)
    if !hadStarted { settlePending(side, &run) }
    count(&run)
    return Taken(count: taken, needs: needs)
  }

  mutating func start(_ side: Side, at position: StreamPosition) -> Bool {
    let hadStarted = sides[side].hasStarted
    if !hadStarted {
      sides[side].hasStarted = true
      sides[side].next = position
      sides[side].recordStart = position
    }
    return hadStarted
  }

  /// The needs of the session.
  var needs: StreamNeeds {
    var needs = innerNeeds
    for side in 0..<2 where sides.look(side, { $0.waitsForSecrets }) { needs.formUnion([.waiting(side), .briefly]) }
    if holdsEarlyData, let client, waitsForAnswer(client) { needs.insert(.waiting(client)) }
    return needs
  }

  /// Reads records. Returns the number of taken octets. They are fewer than all only where a record waits for an answer
  /// or for secrets.
  mutating func read(_ side: Side, _ octets: RawSpan, _ run: inout Run) -> Int {
    var offset = 0
    while offset < octets.byteCount {
      let left = octets.byteCount - offset
      if sides[side].isLost {
        if canSearch(side, &run) {
          search(side, octets.extracting(offset..<octets.byteCount), &run)
          return octets.byteCount
        }
        settle(side, left, .other, &run)
        sides[side].next += left
        return octets.byteCount
      }
      if sides[side].remaining > 0 {
        let length = min(Int(sides[side].remaining), left)
        readBody(side, octets.extracting(offset..<offset + length), &run)
        offset += length
        continue
      }
      if sides[side].headerCount == 0 {
        if octets.octet(offset) == TLSSide.ContentType.applicationData, mayBeEarly(side, run) {
          holdsEarlyData = true
          return offset
        }
        if endsAtHello(side, octets.octet(offset)) { return offset }
        if run.secrets.mayGrow, beginsToWait(side, octets.octet(offset), &run) { return offset }
        if octets.octet(offset) == TLSSide.ContentType.handshake { noteHelloTime(side) }
        sides[side].recordStart = sides[side].next
      }
      let known = Int(sides[side].headerCount)
      let count = min(TLSRecords.headerLength - known, left)
      for index in 0..<count { sides[side].header[known + index] = octets.octet(offset + index) }
      sides[side].headerCount += UInt8(count)
      sides[side].next += count
      offset += count
      if Int(sides[side].headerCount) == TLSRecords.headerLength { startRecord(side, &run) }
    }
    return offset
  }

  /// Starts a record with its complete header.
  private mutating func startRecord(_ side: Side, _ run: inout Run) {
    sides[side].headerCount = 0
    guard let length = TLSRecords.length(sides[side].header) else {
      if sides[side].isConfirmed { run.note(.tlsRecordMalformed) }
      sides[side].isLost = true
      sides[side].lostStart = sides[side].recordStart
      sides[side].isConfirmed = true
      sides[side].header[0] = 0
      return settle(side, TLSRecords.headerLength, .other, &run, endingAt: sides[side].next)
    }
    sides[side].isConfirmed = true
    sides[side].isDamaged = false
    sides[side].remaining = Int32(length)
    sides[side].isGathering = canOpenRecord(side, &run)
    if sides[side].isGathering {
      if length == 0 { finishGathered(side, RawSpan(), &run) }
      return
    }
    let kind = sides[side].unopenedKind
    settle(side, TLSRecords.headerLength, kind, &run, endingAt: sides[side].next)
    if length == 0 { finishCounted(side, &run) }
  }

  private mutating func readBody(_ side: Side, _ octets: RawSpan, _ run: inout Run) {
    let count = octets.byteCount
    sides[side].remaining -= Int32(count)
    if sides[side].isGathering {
      sides[side].next += count
      gather(side, octets, &run)
      return
    }
    let kind = sides[side].unopenedKind
    if kind == .handshake { readClear(side, octets, &run) }
    settle(side, count, kind, &run)
    sides[side].next += count
    if sides[side].remaining == 0 { finishCounted(side, &run) }
  }

  /// Keeps the octets of a record to be opened, and opens it when all have come.
  private mutating func gather(_ side: Side, _ octets: RawSpan, _ run: inout Run) {
    guard let opener = sides[side].opener else { return }
    if sides[side].remaining == 0, opener.value.gathered.isEmpty { return finishGathered(side, octets, &run) }
    if opener.value.gathered.capacity == 0 { opener.value.gathered = run.records.take() }
    octets.append(0..<octets.byteCount, to: &opener.value.gathered)
    guard sides[side].remaining == 0 else { return }
    var gathered: [UInt8] = []
    swap(&gathered, &opener.value.gathered)
    gathered.withOctets { finishGathered(side, $0, &run) }
    run.records.giveBack(gathered)
  }

  private mutating func finishGathered(_ side: Side, _ body: RawSpan, _ run: inout Run) {
    sides[side].isGathering = false
    finishRecord(side, body, &run)
  }

  /// Gives octets without a message their class. Returns the octets of the handshake among them.
  func settleClass(_ count: Int, _ kind: RecordKinds, _ run: inout Run) -> Int {
    run.ledger.settle(count, as: .tls)
    switch kind {
    case .handshake:
      run.ledger.tlsHandshake += count
      return count
    case .opened: run.ledger.tlsRecord += count
    case .unopened:
      run.ledger.tlsApplicationData += count
      run.connection.added.unattributed += count
    default: run.connection.added.unattributed += count
    }
    return 0
  }

  /// Settles the next octets of a side, or octets that end at a position. They belong to no message.
  mutating func settle(
    _ side: Side, _ count: Int, _ kind: RecordKinds, _ run: inout Run, endingAt end: StreamPosition? = nil
  ) {
    if run.isDirected { run.turn(to: side) }
    if kind == .unopened { unopened += count }
    facts.handshake += settleClass(count, kind, &run)
    let end = end ?? sides[side].next + count
    sides[side].shares.mark(end - count..<end, kind)
  }

  /// Finishes an unopened record.
  private mutating func finishCounted(_ side: Side, _ run: inout Run) {
    guard !sides[side].isDamaged else { return finishDamaged(side, &run) }
    let type = sides[side].contentType
    if isProtected(side, type) {
      if type == TLSSide.ContentType.applicationData {
        noteUnopened(side)
        noteLoss(side, from: sides[side].recordStart)
      }
      passUnopened(side, &run)
    } else if type == TLSSide.ContentType.changeCipherSpec {
      changeCipherSpec(side, &run)
    }
    if type == TLSSide.ContentType.handshake || type == TLSSide.ContentType.changeCipherSpec {
      noteHandshakeTime(side, run)
    }
  }

  /// Notes an unopened record of application data. The side has its header.
  mutating func noteUnopened(_ side: Side) {
    sides[side].hasUnopened = true
    guard let most = facts.mostUnopened else { return }
    guard let least = negotiation?.value.leastExpansion, let length = TLSRecords.length(sides[side].header) else {
      return facts.mostUnopened = nil
    }
    facts.mostUnopened = most + max(length - least, 0)
  }

  /// Whether a record of a type is protected, as far as can be told.
  func isProtected(_ side: Side, _ type: UInt8) -> Bool {
    if sides.look(side, { $0.isProtected }) { return true }
    return type == TLSSide.ContentType.applicationData
  }

  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    abandonGathered(side, &run)
    abandonSearch(side, &run)
    abandonHeader(side, &run)
    tellLossesAtEnd(side, &run)
    sides[side].isFinished = true
    if let inner {
      if sides[side].opener?.value.held.isEmpty == false {
        innerNeeds = withInner(&run) { inner.stopWaiting(side, &$0) }
        offerHeld(&run, forced: side)
      }
      if !sides[side].isClosed {
        innerNeeds = withInner(&run) { inner.finish(side, isComplete: isComplete, &$0) }
      }
    }
    offerHeld(&run)
    settle(side, &run)
    count(&run)
    return needs
  }

  mutating func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds {
    if negotiation?.value.takesEarlyData == nil { negotiation?.value.takesEarlyData = false }
    giveUpSecrets()
    if let inner {
      innerNeeds = withInner(&run) { inner.stopWaiting(side, &$0) }
      offerHeld(&run)
    }
    return needs
  }

  mutating func evict(_ run: inout Run) { if let inner { withInner(&run) { inner.evict(&$0) } } }

  // MARK: The inner session

  /// Runs a body for the inner session. Its messages learn the layers beneath.
  mutating func withInner<Result>(_ run: inout Run, _ body: (inout Run) -> Result) -> Result {
    let around = run.connection.beneath
    run.connection.beneath.isSecure = true
    run.connection.beneath.isNamePublic = isNamePublic
    run.connection.beneath.serverName = facts.serverName
    run.connection.beneath.handshake = handshakeDuration
    run.connection.beneath.depth = around.depth &+ 1
    defer {
      handshakeDuration = run.connection.beneath.handshake
      run.connection.beneath = around
    }
    return body(&run)
  }

  // MARK: Rows

  mutating func retireEnded(_ run: inout Run) {
    if let inner { withInner(&run) { inner.retireEnded(&$0) } }
    count(&run)
  }

  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) { inner?.forEachOpenMessage(body) }

  /// The known facts about the connection so far.
  var known: SessionEnd? { inner?.known }

  mutating func close(_ run: inout Run) -> SessionEnd {
    for side in 0..<2 {
      // Waiting charges go to the owners known by now.
      for charge in pending.takeCharges(side) { give(charge, to: side, &run) }
      for _ in 0..<sides[side].shares.count {
        guard let share = sides[side].shares.removeFirst(through: .never) else { break }
        run.connection.added.unattributed += share.arrival.overhead
      }
    }
    var end = SessionEnd(client: nil, requestSide: client, applicationProtocol: .other)
    var nested: ConnectionSecurity?
    if sides[0].isConfirmed || sides[1].isConfirmed { end.applicationProtocol = .tls }
    dropHeld(&run)
    if let inner {
      let found = withInner(&run) { inner.close(&$0) }
      end.client = found.client
      end.requestSide = found.requestSide ?? client
      end.unopened = found.unopened
      if found.applicationProtocol != .other { end.applicationProtocol = found.applicationProtocol }
      nested = found.security
    }
    if end.applicationProtocol != .other {
      facts.opening = openingFound
      noteSecrets(run)
      if let nested { adopt(nested, &run) }
      end.security = facts
    } else {
      releaseTexts(&run)
    }
    end.unopened += unopened
    run.connectionMemory -= counted
    return end
  }

  /// Adopts the facts of TLS in an inner tunnel. They name the connection, and the costs of both add up.
  private mutating func adopt(_ nested: ConnectionSecurity, _ run: inout Run) {
    let around = facts
    releaseTexts(&run)
    facts = nested
    facts.addCosts(of: around)
  }

  private var openingFound: TLSOpening {
    let hasOpened = sides[0].hasOpened || sides[1].hasOpened
    let hasUnopened = sides[0].hasUnopened || sides[1].hasUnopened
    if hasOpened { return hasUnopened ? .partly : .yes }
    return hasUnopened ? .no : .none
  }

  private func releaseTexts(_ run: inout Run) {
    run.texts.release(facts.serverName)
    run.texts.release(facts.applicationProtocol)
  }

  /// Ends TLS on a side whose first octets are not TLS. Returns how many of them were taken and have no class.
  mutating func refuse(_ side: Side, _ run: inout Run) -> Int {
    let count = Int(sides[side].headerCount)
    for _ in 0..<sides[side].shares.count {
      guard let share = sides[side].shares.removeFirst(through: .never) else { break }
      run.connection.added.unattributed += share.arrival.overhead
    }
    _ = pending.takeConflicts(side)
    for charge in pending.takeCharges(side) { give(charge, to: side, &run) }
    sides[side] = TLSSide()
    self.count(&run)
    return count
  }

  /// Takes back the counted memory and the facts of TLS, because another session continues.
  mutating func release(_ run: inout Run) {
    for side in 0..<2 {
      // Octets of a begun record have left the stream, and have no class yet.
      abandonGathered(side, &run)
      abandonSearch(side, &run)
      run.connection.added.unattributed += Int(sides[side].headerCount)
      for _ in 0..<sides[side].shares.count {
        guard let share = sides[side].shares.removeFirst(through: .never) else { break }
        run.connection.added.unattributed += share.arrival.overhead
      }
    }
    // The connection is not TLS, so the octets of its handshake have no owner.
    run.connection.added.unattributed += facts.handshake
    facts.handshake = 0
    releaseTexts(&run)
    run.connectionMemory -= counted
    counted = 0
  }

  /// Counts the session's memory.
  mutating func count(_ run: inout Run) {
    let memory =
      MemoryLayout<TLSSession>.stride + 32 + OwnPair<TLSSide>.memory + pending.memory
      + sides[0].memory + sides[1].memory + (negotiation?.look { $0.memory } ?? 0)
    run.connectionMemory += memory - counted
    counted = memory
  }
}
