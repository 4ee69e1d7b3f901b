// The keys of packets: computed for Initial packets, and from known secrets for all others (RFC 9001 §5).

import Packets

extension QUICConnection {
  /// Notes the ID that the server chose with a Retry. It protects the next Initial packets of both sides (RFC 9001 §5.2).
  func noteRetry(_ header: QUICPacketHeader, from side: Side) {
    guard let opener, !opener.value.hasRetried, side != client else { return }
    opener.value.hasRetried = true
    // The hello that answers it may be captured before it.
    guard opener.value.keySource != header.sourceID else { return }
    opener.value.formerSource = opener.value.keySource
    opener.value.keySource = header.sourceID
    for side in 0..<2 {
      opener.value.sides[side].levels[QUICLevel.initial.rawValue].keys = nil
      expectHello(from: side)
    }
    opener.value.progress += 1
  }

  /// Expects a side's hello once more, after a Retry or a version negotiation. Some clients write another one after a Retry, although they
  /// must not (RFC 9000 §17.2.5.2).
  private func expectHello(from side: Side) {
    opener?.value.sides[side].initial = CryptoOctets()
    opener?.value.sides[side].numbers[QUICLevel.initial.space] = PacketNumbers()
  }

  // MARK: Initial packets

  mutating func openInitial(
    _ header: QUICPacketHeader, _ place: PacketPlace, _ payload: RawSpan, of account: borrowing DatagramAccount,
    _ room: inout PacketRoom, _ run: inout Run
  ) -> QUICOpening {
    guard let opener else { return .closed }
    let side = account.side
    if client != nil,
      let packet = openInitial(header, place, payload, from: side, with: opener.value.keySource, &room)
    {
      return packet
    }
    // The client's first packets contain the ID that they are protected with.
    guard client == nil || client == side else { return .closed }
    // A packet waits only after the keys made from its own ID have failed. Those are dear, and would fail again.
    // One with the ID before a Retry is late, and tells nothing new.
    guard !account.hasWaited, header.destinationID != opener.value.formerSource || client == nil,
      let packet = openInitial(header, place, payload, from: side, with: header.destinationID, &room)
    else {
      return mayOpenLater(.initial, side, run) ? .waits : .closed
    }
    if client == nil {
      client = side
      run.connection.client = side
      run.connection.directedClient = side
      opener.value.helloTime = lastSeen
      opener.value.progress += 1
    }
    return packet
  }

  /// Whether an Initial packet from the same addresses begins another connection: the keys made from its own ID open it.
  func isAnother(
    _ header: QUICPacketHeader, _ payload: RawSpan, from side: Side, _ room: inout PacketRoom
  ) -> Bool {
    guard header.kind == .initial, side == client, header.end <= payload.byteCount, let opener,
      let version = QUICVersion(header.version)
    else { return false }
    let isKnown = opener.look { opener in
      // After a version negotiation, the same connection begins anew.
      header.version != opener.keyVersion && !opener.hasServerHello
        || header.destinationID == opener.keySource || header.destinationID == opener.formerSource
        || opener.sides[1 - side].ids.contains { $0.id == header.destinationID }
        // A client keeps its ID after a Retry, which may be lost (RFC 9000 §17.2.5.2). A hello may have several packets.
        || (header.sourceID.count > 0
          ? opener.sides[side].ids.contains { $0.id == header.sourceID } : opener.name == nil)
        || opener.failures >= QUICOpener.failureLimit
    }
    guard !isKnown else { return false }
    let place = PacketPlace(
      start: header.start, numberOffset: header.numberOffset, end: header.end, isLong: true)
    var trials = 0
    var keys = KeyPhases(initial: header.destinationID, version, ofClient: true)
    if keys?.open(place, in: payload, after: -1, trials: &trials, &room) != nil { return true }
    opener.value.failures += 1
    return false
  }

  /// Opens a packet with the keys made from an ID. The keys are kept if they open it.
  private func openInitial(
    _ header: QUICPacketHeader, _ place: PacketPlace, _ payload: RawSpan, from side: Side,
    with source: QUICConnectionID?, _ room: inout PacketRoom
  ) -> QUICOpening? {
    guard let opener, let source else { return nil }
    let level = QUICLevel.initial.rawValue
    if source == opener.value.keySource, header.version == opener.value.keyVersion,
      opener.value.sides[side].levels[level].keys != nil
    {
      let packet = opener.value.sides[side].open(.initial, place, in: payload, isSearched: true, &room)
      if case .opened = packet { return packet }
      return nil
    }
    guard opener.value.failures < QUICOpener.failureLimit, let version = QUICVersion(header.version) else { return nil }
    let isClient = client == nil || side == client
    let largest = opener.value.sides[side].numbers[QUICLevel.initial.space].largest
    var trials = 0
    guard var keys = KeyPhases(initial: source, version, ofClient: isClient),
      let packet = keys.open(place, in: payload, after: largest, trials: &trials, &room)
    else {
      opener.value.failures += 1
      return nil
    }
    if source != opener.value.keySource || header.version != opener.value.keyVersion {
      opener.value.sides[1 - side].levels[level].keys = nil
      if let former = opener.value.keySource {
        // A client may have another ID after a Retry, but not again and again.
        opener.value.failures += 1
        if side == client, !opener.value.hasServerHello {
          // The Retry or the version negotiation before it was not captured, or comes later.
          if source != former { opener.value.formerSource = former }
          expectHello(from: side)
        }
      }
    }
    opener.value.keySource = source
    opener.value.keyVersion = header.version
    opener.value.sides[side].levels[level].keys = keys
    return .opened(number: packet.number, length: packet.length)
  }

  // MARK: Packets with secrets

  /// Whether keys of a level, in use or to be tried, open a packet. They stay as they are.
  mutating func mayOpen(
    _ level: QUICLevel, _ version: UInt32, _ place: PacketPlace, _ payload: RawSpan, from side: Side,
    _ room: inout PacketRoom, _ run: inout Run
  ) -> Bool {
    guard let opener else { return false }
    let largest = opener.value.sides[side].numbers[level.space].largest
    var trials = 0
    if var keys = opener.value.sides[side].levels[level.rawValue].keys {
      return keys.open(place, in: payload, after: largest, trials: &trials, &room) != nil
    }
    guard makeCandidates(level, version, place, payload, from: side, &room, &run) else { return false }
    for candidate in opener.value.sides[side].levels[level.rawValue].candidates {
      var keys = candidate.keys
      if keys.open(place, in: payload, after: largest, trials: &trials, &room) != nil { return true }
    }
    return false
  }

  /// Opens a packet of another level with the keys in use, else with those of each secret that may be right.
  ///
  /// `isSearched` says whether its number may be far ahead, and its keys updated several times. A packet that is not searched is one of
  /// several trials, and its failure is not counted.
  mutating func open(
    _ level: QUICLevel, _ version: UInt32, _ place: PacketPlace, _ payload: RawSpan, from side: Side,
    isSearched: Bool = true, _ room: inout PacketRoom, _ run: inout Run
  ) -> QUICOpening {
    guard let opener else { return .closed }
    if let packet = opener.value.sides[side].open(level, place, in: payload, isSearched: isSearched, &room) {
      return packet
    }
    // A hello may have been captured later. It counts as lost once nothing is waited for.
    if level == .handshake, opener.value.hasGivenUp, opener.value.name == nil {
      findName(version, place, payload, from: side, &room, &run)
    }
    guard makeCandidates(level, version, place, payload, from: side, &room, &run) else {
      return mayOpenLater(level, side, run) ? .waits : .closed
    }
    let largest = opener.value.sides[side].numbers[level.space].largest
    for index in opener.value.sides[side].levels[level.rawValue].candidates.indices {
      var trials = isSearched ? opener.value.sides[side].trials : 0
      let opened = opener.value.sides[side].levels[level.rawValue].candidates[index].keys.open(
        place, in: payload, after: largest, trials: &trials, &room)
      if isSearched { opener.value.sides[side].trials = trials }
      guard let opened else { continue }
      adopt(index, level, side, &run)
      return .opened(number: opened.number, length: opened.length)
    }
    if isSearched { opener.value.sides[side].levels[level.rawValue].failures += 1 }
    return .closed
  }

  /// Makes the keys to try for packets of a side at a level. Returns whether there are any.
  private func makeCandidates(
    _ level: QUICLevel, _ version: UInt32, _ place: PacketPlace, _ payload: RawSpan, from side: Side,
    _ room: inout PacketRoom, _ run: inout Run
  ) -> Bool {
    guard let opener, let client, !run.secrets.isEmpty, let label = level.label(isClient: side == client),
      let version = QUICVersion(version), opener.value.name != nil
    else { return false }
    if level == .early {
      guard opener.value.takesEarlyData == true else { return false }
    } else if opener.value.suite == nil, opener.value.hasServerHello || !opener.value.hasGivenUp {
      return false
    }
    let known = opener.value.sides[side].levels[level.rawValue]
    if known.knownSecrets == run.secrets.count {
      return !known.candidates.isEmpty && known.failures < QUICOpener.attemptLimit
    }
    if level == .handshake, side != client { findEncryptedName(version, place, payload, from: side, &room, &run) }
    guard let name = opener.value.name else { return false }
    // 0-RTT has the suite of an earlier connection (RFC 9001 §4.6.3). Its packets tell which one. So do packets behind a lost ServerHello.
    let suites = level == .early ? CipherSuite.ofQUIC : suitesFound
    var made: [QUICOpener.Candidate] = []
    for place in run.secrets.places(label, of: name) {
      for suite in suites {
        guard let protection = suite.protection else { continue }
        let keys = run.secrets.withSecret(at: place) { KeyPhases($0, protection, version.labels) }
        if let keys { made.append(.init(place: place, suite: suite.number, keys: keys)) }
      }
    }
    opener.value.sides[side].levels[level.rawValue].candidates = made
    opener.value.sides[side].levels[level.rawValue].knownSecrets = run.secrets.count
    opener.value.sides[side].levels[level.rawValue].failures = 0
    return !made.isEmpty
  }

  /// The suites that may be right: the one that the server chose, else each one that QUIC has.
  private var suitesFound: [CipherSuite] { facts.suite.map { [CipherSuite($0)] } ?? CipherSuite.ofQUIC }

  /// Takes the suite that opened a packet, if no ServerHello told it.
  private mutating func learnSuite(_ suite: UInt16) {
    guard let opener, !opener.value.hasServerHello else { return }
    opener.value.suite = CipherSuite(suite).protection
    opener.value.hasServerHello = true
    opener.value.progress += 1
    (facts.suite, facts.isSuiteOpened) = (suite, true)
    isRefused = false
  }

  /// Looks for the name of the secrets of a connection with an encrypted hello, by the server's first Handshake packet.
  private func findEncryptedName(
    _ version: QUICVersion, _ place: PacketPlace, _ payload: RawSpan, from side: Side, _ room: inout PacketRoom,
    _ run: inout Run
  ) {
    guard let opener, facts.hasEncryptedHello, let suite = opener.value.suite, let name = opener.value.name,
      !run.secrets.hasAny(of: name)
    else { return }
    let largest = opener.value.sides[side].numbers[QUICLevel.handshake.space].largest
    let found = run.secrets.firstFitting(.serverHandshakeTraffic) { secret in
      var keys = KeyPhases(secret, suite, version.labels)
      var trials = 0
      return keys?.open(place, in: payload, after: largest, trials: &trials, &room) != nil
    }
    guard let found else { return }
    opener.value.name = found
    opener.value.progress += 1
  }

  /// Looks for the name of the secrets of a connection whose hello was not captured, by a Handshake packet of either side.
  ///
  /// The suite that opens the packet is the connection's. Where the client is unknown, the secret tells which side it is.
  private mutating func findName(
    _ version: UInt32, _ place: PacketPlace, _ payload: RawSpan, from side: Side, _ room: inout PacketRoom,
    _ run: inout Run
  ) {
    guard let opener, let version = QUICVersion(version), opener.value.maySearch(run.secrets.count) else { return }
    let largest = opener.value.sides[side].numbers[QUICLevel.handshake.space].largest
    let suites = opener.value.hasServerHello ? suitesFound : CipherSuite.ofQUIC
    for isServer in [true, false] where client == nil || (client != side) == isServer {
      let label: SecretLabel = isServer ? .serverHandshakeTraffic : .clientHandshakeTraffic
      let found = run.secrets.firstFitting(label, suites) { secret, suite in
        var keys = KeyPhases(secret, suite, version.labels)
        var trials = 0
        return keys?.open(place, in: payload, after: largest, trials: &trials, &room) != nil
      }
      guard let found else { continue }
      opener.value.name = found.name
      opener.value.progress += 1
      learnSuite(found.suite.number)
      if client == nil {
        client = isServer ? 1 - side : side
        run.connection.client = client
        run.connection.directedClient = client
      }
      return
    }
  }

  /// Uses candidate keys, which have opened a packet, from now on.
  private mutating func adopt(_ index: Int, _ level: QUICLevel, _ side: Side, _ run: inout Run) {
    guard let opener, let client else { return }
    let candidate = opener.value.sides[side].levels[level.rawValue].candidates[index]
    opener.value.sides[side].levels[level.rawValue].keys = candidate.keys
    opener.value.sides[side].levels[level.rawValue].candidates = []
    if level != .early { learnSuite(candidate.suite) }
    run.secrets.noteUse(of: candidate.place)
    guard run.secrets.used.isWanted, let name = opener.value.name, let label = level.label(isClient: side == client)
    else { return }
    var used = UsedSecrets()
    swap(&used, &run.secrets.used)
    run.secrets.withSecret(at: candidate.place) { used.note(label, ofRandom: name, $0) }
    swap(&used, &run.secrets.used)
  }

  // MARK: Keys that may come

  /// Whether keys may still come for a packet that cannot be opened now.
  func mayOpenLater(_ level: QUICLevel, _ side: Side, _ run: borrowing Run) -> Bool {
    guard let opener, !opener.value.hasGivenUp else { return false }
    // A server's packets may be captured before the client's first one.
    if level == .initial { return client == nil && opener.value.failures < QUICOpener.failureLimit }
    let (mayLearn, hasNone) = (run.secrets.mayGrow, run.secrets.isEmpty)
    guard mayLearn || !hasNone, opener.value.hasHandshake else { return false }
    guard let client else { return true }
    guard let label = level.label(isClient: side == client) else { return false }
    guard let name = opener.value.name else { return true }
    if level == .early {
      let isKnown = run.secrets.has(label, of: name)
      guard let takes = opener.value.takesEarlyData else { return mayLearn || isKnown }
      return takes && mayLearn && !isKnown
    }
    guard opener.value.hasServerHello else {
      let isKnown = run.secrets.hasAny(of: name)
      return mayLearn || facts.hasEncryptedHello || isKnown
    }
    guard mayLearn, opener.value.suite != nil else { return false }
    return !run.secrets.has(label, of: name)
  }

  /// Notes which secrets of the connection are known.
  mutating func noteSecrets(_ run: borrowing Run) {
    guard let opener, let name = opener.value.name else { return }
    name.withOctets { facts.clientRandomStart = $0.bigEndian32(1) }
    facts.secrets = KnownSecrets(rawValue: run.secrets.known(of: name))
  }
}
