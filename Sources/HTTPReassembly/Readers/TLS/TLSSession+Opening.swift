import Cryptography
import Packets

// Opened records and their contents (MEASURES §6).

extension TLSSession {
  // MARK: Early data

  /// Whether the next record of a side may be early data without an answer yet.
  func mayBeEarly(_ side: Side, _ run: borrowing Run) -> Bool {
    guard side == client, waitsForAnswer(side), let name = negotiation?.value.client else { return false }
    if mayLearnSecrets(run) { return true }
    return run.secrets.has(.clientEarlyTraffic, of: name)
  }

  /// Whether it is still unknown if the server accepts the early data of a side.
  func waitsForAnswer(_ side: Side) -> Bool {
    guard side == client, let negotiation else { return false }
    return negotiation.value.offersEarlyData && negotiation.value.takesEarlyData == nil
  }

  // MARK: Records

  /// Finishes a complete record that may be opened. The side has its header.
  mutating func finishRecord(_ side: Side, _ body: RawSpan, _ run: inout Run) {
    guard let opener = sides[side].opener else { return }
    let length = TLSRecords.headerLength + body.byteCount
    let range = sides[side].recordStart..<sides[side].next
    var memory: [UInt8] = []
    swap(&memory, &run.records.opened)
    if memory.count < TLSRecords.longestRecord { memory = Array(repeating: 0, count: TLSRecords.longestRecord) }
    defer { swap(&memory, &run.records.opened) }
    guard let opened = open(side, body, into: &memory, &run) else {
      let type = sides[side].contentType
      if type == TLSSide.ContentType.applicationData { noteUnopened(side) }
      settle(side, length, sides[side].unopenedKind, &run, endingAt: range.upperBound)
      opener.value.protection?.resume(behind: body)
      missContent(side, &run)
      passUnopened(side, &run)
      return
    }
    judgeLosses(side, sequence: opener.value.sequence &- 1, isFirst: opener.value.isFirst, &run)
    opener.value.isFirst = false
    switch opened.contentType {
    case TLSSide.ContentType.applicationData:
      sides[side].hasOpened = true
      if let expansion = opener.look({ $0.protection?.expansion }), length - opened.count > expansion {
        opener.value.hasPadding = true
      }
      settle(side, length - opened.count, .opened, &run, endingAt: range.upperBound)
      facts.record += length - opened.count
      memory.withOctets { deliver(side, $0.extracting(0..<opened.count), in: range, &run) }
    case TLSSide.ContentType.handshake:
      settle(side, length, .handshake, &run, endingAt: range.upperBound)
      memory.withOctets { readHandshake(side, $0.extracting(0..<opened.count), &run) }
      noteHandshakeTime(side, run)
    case TLSSide.ContentType.changeCipherSpec:
      settle(side, length, .handshake, &run, endingAt: range.upperBound)
      changeCipherSpec(side, &run)
    default: settle(side, length, .other, &run, endingAt: range.upperBound)
    }
  }

  /// Opens a record with the current keys, else with later ones. Returns nil when it does not verify.
  private mutating func open(
    _ side: Side, _ body: RawSpan, into memory: inout [UInt8], _ run: inout Run
  ) -> RecordProtection.Opened? {
    guard let opener = sides[side].opener else { return nil }
    let header = sides[side].header
    if opener.value.protection != nil {
      let ahead = opener.value.mayHaveLost ? run.configuration.recordSearchLimit : 0
      for lost in 0...max(ahead, 0) {
        let sequence = opener.value.sequence &+ UInt64(lost)
        guard let opened = opener.value.protection?.open(header, body, sequence: sequence, into: &memory) else {
          continue
        }
        opener.value.sequence = sequence &+ 1
        opener.value.mayHaveLost = false
        return opened
      }
      // An update of keys may have been lost.
      guard opener.value.epoch < .application || opener.value.epoch == .application && opener.value.mayHaveLost else {
        run.note(.tlsRecordNotVerified)
        return nil
      }
    }
    if needsName(side, run), opener.value.skipped == 0 {
      guard findName(side, header, body, numbers: 1, into: &memory, &run) else {
        // No secret fits, so the side stays closed.
        sides[side].opener = nil
        return nil
      }
    }
    makeCandidates(side, &run)
    for index in opener.value.candidates.indices {
      let isUncertain = sides[side].losses != nil
      let most = isUncertain ? Self.searchLimit(run) : min(opener.value.skipped, Self.searchLimit(run))
      for sequence in 0...UInt64(max(most, 0)) {
        guard opener.value.trials < Self.trialLimit else { break }
        opener.value.trials += 1
        let opened = opener.value.candidates[index].protection.open(header, body, sequence: sequence, into: &memory)
        guard let opened else { continue }
        adoptCandidate(index, side, sequence: sequence + 1, &run)
        return opened
      }
    }
    // Refused early data verifies with no current key, and is known to be refused.
    let isRefused = side == client && negotiation?.value.offersEarlyData == true && opener.value.protection == nil
    if !isRefused { run.note(.tlsRecordNotVerified) }
    return nil
  }

  private static func searchLimit(_ run: borrowing Run) -> Int { run.configuration.recordSearchLimit }

  /// Uses candidate keys, which have opened a record, from now on. `sequence` is the number of the next record.
  mutating func adoptCandidate(_ index: Int, _ side: Side, sequence: UInt64, _ run: inout Run) {
    guard let opener = sides[side].opener else { return }
    let found = opener.value.candidates[index]
    run.secrets.noteUse(of: found.place)
    opener.value.start(found.epoch)
    opener.value.updates = found.updates
    opener.value.protection = found.protection
    opener.value.sequence = sequence
    opener.value.isFirst = true
    if found.epoch == .master { sides[side].isProtected = true }
    if negotiation?.value.hasServerHello == false { learnSuite(found.suite) }
    if run.secrets.used.isWanted { noteUse(side, found.epoch, &run) }
  }

  /// Takes the suite that has opened a record of TLS 1.3. No ServerHello told it.
  private mutating func learnSuite(_ suite: CipherSuite) {
    negotiation?.value.take(found: suite)
    (facts.version, facts.suite) = (0x0304, suite.number)
  }

  /// Notes the first record of a side that was opened with the secret of an epoch.
  @inline(never)
  private func noteUse(_ side: Side, _ epoch: RecordOpener.Epoch, _ run: inout Run) {
    guard let negotiation, let name = negotiation.value.client else { return }
    var used = UsedSecrets()
    swap(&used, &run.secrets.used)
    defer { swap(&used, &run.secrets.used) }
    if epoch != .master {
      let label = label(epoch, side)
      run.secrets.withSecret(label, of: name) { used.note(label, ofRandom: name, $0) }
    } else if !negotiation.value.hasNotedMaster {
      negotiation.value.hasNotedMaster = true
      masters(&run).first?.secret.withOctets { used.note(.master, ofRandom: name, $0) }
    }
  }

  /// Whether the name of the secrets is to be found by a record of the server's handshake: the hello is encrypted or lost.
  func needsName(_ side: Side, _ run: borrowing Run) -> Bool {
    guard hasUnknownName, side != client, let opener = sides[side].opener, opener.value.epoch == .handshake,
      opener.value.protection == nil
    else { return false }
    return !hasSecrets(side, run)
  }

  /// Looks for the name of the secrets by a record of the server's handshake, which has one of the first so many numbers.
  @inline(never)
  func findName(
    _ side: Side, _ header: InlineArray<5, UInt8>, _ body: RawSpan, numbers: UInt64, into memory: inout [UInt8],
    _ run: inout Run
  ) -> Bool {
    guard let negotiation else { return false }
    let found = run.secrets.firstFitting(.serverHandshakeTraffic, negotiation.value.suites) { secret, suite in
      var protection = RecordProtection(trafficSecret: secret, suite)
      return (0..<numbers).contains { protection?.open(header, body, sequence: $0, into: &memory) != nil }
    }
    guard let found else { return false }
    negotiation.value.client = found.name
    return true
  }

  /// Makes the candidate keys for a record: of the current epoch if it has no keys in use, of later epochs, and of the next update.
  ///
  /// The start of a later epoch, or an update, may not have been seen.
  func makeCandidates(_ side: Side, _ run: inout Run) {
    guard let opener = sides[side].opener,
      opener.value.candidates.isEmpty || opener.value.knownSecrets != run.secrets.count
    else { return }
    let current = opener.value.epoch
    let epochs: [RecordOpener.Epoch] = current == .master ? [.master] : [.early, .handshake, .application]
    opener.value.candidates = []
    for epoch in epochs where epoch > current || epoch == current && opener.value.protection == nil {
      let updates = epoch == .application ? opener.value.updates : 0
      opener.value.candidates += makeCandidates(side, epoch, updates: updates, &run)
    }
    if current == .application, opener.value.protection != nil {
      opener.value.candidates = makeCandidates(side, current, updates: opener.value.updates + 1, &run)
    }
    // The new secret of a session is no reason for another search.
    opener.value.knownSecrets = run.secrets.count
  }

  /// Passes over an unopened protected record.
  mutating func passUnopened(_ side: Side, _ run: inout Run) {
    guard let opener = sides[side].opener else {
      if sides[side].passed < .max { sides[side].passed += 1 }
      return
    }
    opener.value.skipped += 1
    guard opener.value.protection != nil else { return }
    opener.value.sequence &+= 1
    opener.value.mayHaveLost = true
  }

  /// Skips the application's octets of an unopened record: as many as it has room for, which is exact without padding.
  mutating func missContent(_ side: Side, _ run: inout Run) {
    guard sides[side].contentType == TLSSide.ContentType.applicationData, !sides[side].isClosed,
      let length = TLSRecords.length(sides[side].header)
    else { return }
    guard inner != nil, let opener = sides[side].opener, let protection = opener.value.protection,
      opener.value.epoch != .handshake
    else { return noteLoss(side, from: sides[side].recordStart) }
    let start = sides[side].recordStart
    let certainty: GapCertainty = protection.expansion != nil && !opener.value.hasPadding ? .exact : .estimated
    skipContent(
      side, protection.mostContent(length), start..<start + TLSRecords.headerLength + length, certainty: certainty,
      leading: TLSRecords.headerLength + protection.leadingLength, &run)
  }

  private func append(
    _ side: Side, _ content: StreamPosition, _ count: Int, _ length: Int, isOpened: Bool, _ run: borrowing Run
  ) {
    guard let opener = sides[side].opener else { return }
    let leading = TLSRecords.headerLength + opener.look { $0.protection?.leadingLength ?? 0 }
    let entry = RecordMap.PlacedRecord(
      start: sides[side].recordStart, content: content, count: UInt32(clamping: count),
      length: UInt32(clamping: TLSRecords.headerLength + length), leading: UInt8(clamping: leading),
      isOpened: isOpened)
    opener.value.map.append(entry, limit: run.configuration.rememberedRecordLimit)
  }

  // MARK: The application's octets

  /// Delivers the data of a record to the inner session. Each packet's part comes with its packet.
  private mutating func deliver(
    _ side: Side, _ octets: RawSpan, in range: Range<StreamPosition>, _ run: inout Run
  ) {
    guard let opener = sides[side].opener else { return }
    let beside = range.count - octets.byteCount
    guard octets.byteCount > 0 else {
      run.connection.added.unattributed += beside
      return
    }
    let inner = openInner(side, octets, &run)
    tellLosses(side, &run)
    let position = opener.value.map.end
    append(
      side, position, octets.byteCount, range.count - TLSRecords.headerLength, isOpened: true, run)
    let place = opener.value.map[opener.value.map.count - 1].place
    for index in 0..<sides.look(side, { $0.shares.count }) {
      let share = sides.look(side) { $0.shares[index] }
      let part = place.clamped(to: share.start..<share.end)
      guard !part.isEmpty else { continue }
      let content = position + part.lowerBound - place.lowerBound..<position + part.upperBound - place.lowerBound
      sides[side].shares.extendContent(index, content)
      var arrival = share.arrival
      arrival.overhead = 0
      arrival.segment = content.lowerBound
      let offset = part.lowerBound - place.lowerBound
      feed(inner, opener, side, octets.extracting(offset..<offset + part.count), at: content.lowerBound, arrival, &run)
    }
    withInner(&run) {
      inner.charge(
        Charge(position: position, retransmitted: 0, overhead: 0, length: octets.byteCount, record: beside), to: side,
        &$0)
    }
  }

  /// The inner session. If there is none yet, one begins with `octets`.
  private mutating func openInner(_ side: Side, _ octets: RawSpan, _ run: inout Run) -> Reader {
    if side == client, !hasClientData {
      hasClientData = true
      let isEarly = sides[side].opener?.value.epoch == .early
      if let helloTime, let handshakeTime, !isEarly { handshakeDuration = max(handshakeTime - helloTime, 0) }
    }
    if let inner { return inner }
    let alpn = facts.applicationProtocol == .none ? nil : run.texts.octets(facts.applicationProtocol)
    let opened = Reader(alpn: alpn, octets, opening, &run)
    inner = opened
    return opened
  }

  /// Delivers octets to the inner session. Octets that it does not take wait, and octets whose acknowledgment has no place yet.
  private mutating func feed(
    _ inner: Reader, _ opener: OwnMemory<RecordOpener>, _ side: Side, _ octets: RawSpan, at position: StreamPosition,
    _ arrival: SegmentArrival, _ run: inout Run
  ) {
    var taken = 0
    if opener.value.held.isEmpty, !innerNeeds.contains(.waiting(side)),
      let acknowledged = place(arrival.acknowledged, on: 1 - side)
    {
      var placed = arrival
      placed.acknowledged = acknowledged
      let result = withInner(&run) { inner.receive(side, octets, at: position, placed, &$0) }
      innerNeeds = result.needs
      taken = result.count
    }
    guard taken < octets.byteCount else { return }
    var rest: [UInt8] = []
    octets.append(taken..<octets.byteCount, to: &rest)
    opener.value.held.append(RecordOpener.Held(position: position + taken, octets: rest, arrival: arrival))
    offerHeld(&run)
  }

  /// Offers waiting octets to the inner session again, while it takes any. On a forced side, unknown places do not matter.
  mutating func offerHeld(_ run: inout Run, forced: Side? = nil) {
    guard hasHeld(0) || hasHeld(1), let inner else { return }
    var hasProgress = true
    while hasProgress {
      hasProgress = false
      for side in 0..<2 {
        guard let opener = sides[side].opener, !opener.value.held.isEmpty, !innerNeeds.contains(.waiting(side)) else {
          continue
        }
        let place = place(opener.value.held[0].arrival.acknowledged, on: 1 - side)
        guard let acknowledged = place ?? (side == forced ? .unknown : nil) else { continue }
        var first = opener.value.held.removeFirst()
        if first.missing > 0 {
          skip(first, side, &run)
          hasProgress = true
          continue
        }
        var arrival = first.arrival
        arrival.acknowledged = acknowledged
        let result = withInner(&run) { run in
          first.octets.withOctets { inner.receive(side, $0, at: first.position, arrival, &run) }
        }
        innerNeeds = result.needs
        if result.count > 0 { hasProgress = true }
        guard result.count < first.octets.count else { continue }
        first.position += result.count
        first.octets.removeFirst(result.count)
        opener.value.held.insert(first, at: 0)
      }
    }
  }

  @inline(__always)
  private func hasHeld(_ side: Side) -> Bool {
    sides.look(side) { $0.opener?.look { !$0.held.isEmpty } ?? false }
  }

  /// Drops waiting octets at the end of the connection. They have no owner.
  mutating func dropHeld(_ run: inout Run) {
    for side in 0..<2 {
      guard let opener = sides[side].opener else { continue }
      for held in opener.value.held {
        run.settle(held.octets.count, as: .opaque, of: side)
        run.connection.added.unattributed += held.octets.count
      }
      opener.value.held = []
    }
  }
}
