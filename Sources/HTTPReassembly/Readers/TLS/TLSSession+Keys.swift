import Cryptography
import Packets

// The secrets of a connection, and the keys that they give (RFC 8446 §7, RFC 5246 §6.3).

extension TLSSession {
  /// Whether a secret of the connection is known.
  func hasSecrets(_ run: borrowing Run) -> Bool {
    guard !run.secrets.isEmpty else { return false }
    if hasSecrets(0, run) { return true }
    return hasSecrets(1, run)
  }

  /// Whether a secret is known that can open records of a side.
  func hasSecrets(_ side: Side, _ run: borrowing Run) -> Bool {
    guard let negotiation, !run.secrets.isEmpty else { return false }
    if !negotiation.value.isTLS13 {
      if masterName(run) != nil { return true }
      return hasPremaster(run)
    }
    guard let name = negotiation.value.client else { return false }
    for epoch in [RecordOpener.Epoch.early, .handshake, .application] {
      if run.secrets.has(label(epoch, side), of: name) { return true }
    }
    return false
  }

  func label(_ epoch: RecordOpener.Epoch, _ side: Side) -> SecretLabel {
    switch epoch {
    case .early: side == client ? .clientEarlyTraffic : .serverHandshakeTraffic
    case .handshake: side == client ? .clientHandshakeTraffic : .serverHandshakeTraffic
    case .application: side == client ? .clientTraffic : .serverTraffic
    case .master: .master
    }
  }

  /// Notes which secrets of the connection are known.
  mutating func noteSecrets(_ run: borrowing Run) {
    guard let negotiation else { return }
    facts.isSuiteOpened = negotiation.value.suite?.protection != nil
    var known: UInt8 = 0
    if let name = negotiation.value.client {
      name.withOctets { facts.clientRandomStart = $0.bigEndian32(1) }
      known = run.secrets.known(of: name)
    }
    if masterName(run) != nil { known |= 1 << SecretLabel.master.rawValue }
    if hasPremaster(run) { known |= 1 << SecretLabel.premaster.rawValue }
    facts.secrets = KnownSecrets(rawValue: known)
  }

  /// The name of the known master secret.
  func masterName(_ run: borrowing Run) -> SecretName? {
    guard let negotiation else { return nil }
    if let name = negotiation.value.client, run.secrets.has(.master, of: name) { return name }
    if let name = negotiation.value.session, run.secrets.has(.master, of: name) { return name }
    if !negotiation.value.isFull, let name = negotiation.value.offeredTicket, run.secrets.has(.master, of: name) {
      return name
    }
    return nil
  }

  /// Whether a known pre-master secret gives the master secret.
  private func hasPremaster(_ run: borrowing Run) -> Bool {
    guard negotiation?.value.extendsMasterSecret == false, let name = negotiation?.value.encryptedPremaster else {
      return false
    }
    return run.secrets.has(.premaster, of: name)
  }

  /// The master secrets that may be right, with the places of the secrets that they come from. They are remembered for sessions that
  /// resume this one.
  func masters(_ run: inout Run) -> [(place: SecretPlace, secret: SecretOctets)] {
    guard let negotiation else { return [] }
    var masters: [(place: SecretPlace, secret: SecretOctets)] = []
    if let name = masterName(run) {
      for place in run.secrets.places(.master, of: name) {
        masters.append((place, run.secrets.withSecret(at: place) { SecretOctets($0) }))
      }
    } else if !negotiation.value.extendsMasterSecret, let name = negotiation.value.encryptedPremaster,
      let suite = negotiation.value.suite?.protection
    {
      let function: KeyDerivation.PseudorandomFunction =
        negotiation.value.version >= 0x0303 ? .one(suite.digest) : .md5AndSHA1
      let randoms = negotiation.value.randoms
      for place in run.secrets.places(.premaster, of: name) {
        let master = run.secrets.withSecret(at: place) {
          KeyDerivation.expand(
            $0, "master secret", seed: Array(randoms[32...] + randoms[..<32]), function, length: 48)
        }
        if let master { masters.append((place, master)) }
      }
    }
    for name in [negotiation.value.session, negotiation.value.issuedTicket] {
      guard let name else { continue }
      for master in masters.reversed() { master.secret.withOctets { run.secrets.learn(.master, of: name, $0) } }
    }
    return masters
  }

  /// The keys of an epoch that may be right, one for each secret that a log has for it, and for each suite that may be right.
  func makeCandidates(
    _ side: Side, _ epoch: RecordOpener.Epoch, updates: Int, _ run: inout Run
  ) -> [RecordOpener.Candidate] {
    negotiation?.value.suites.flatMap { makeCandidates(side, epoch, $0, updates: updates, &run) } ?? []
  }

  private func makeCandidates(
    _ side: Side, _ epoch: RecordOpener.Epoch, _ found: CipherSuite, updates: Int, _ run: inout Run
  ) -> [RecordOpener.Candidate] {
    guard let negotiation, let suite = found.protection else { return [] }
    func candidate(_ place: SecretPlace, _ protection: RecordProtection?) -> RecordOpener.Candidate? {
      protection.map { .init(epoch: epoch, suite: found, updates: updates, place: place, protection: $0) }
    }
    let (isClient, randoms, version) = (side == client, negotiation.value.randoms, negotiation.value.version)
    let encryptsThenMACs = negotiation.value.encryptsThenMACs
    if epoch == .master {
      return masters(&run).compactMap { master in
        let protection = master.secret.withOctets {
          RecordProtection(
            master: $0, randoms: randoms, version: version, encryptsThenMACs: encryptsThenMACs, isClient: isClient,
            suite)
        }
        return candidate(master.place, protection)
      }
    }
    guard let name = negotiation.value.client, epoch != .early || isClient else { return [] }
    let places = run.secrets.places(label(epoch, side), of: name)
    guard updates > 0 else {
      return places.compactMap { place in
        candidate(place, run.secrets.withSecret(at: place) { RecordProtection(trafficSecret: $0, suite) })
      }
    }
    // Keys are updated after they have opened a record, so the first secret is the right one.
    guard let opener = sides[side].opener, let place = places.first else { return [] }
    var secret = opener.value.updated ?? (0, run.secrets.withSecret(at: place) { SecretOctets($0) })
    // One step for each update, however many there were before.
    while secret.count < updates {
      guard let next = secret.secret.withOctets({ TrafficKeys.update($0, suite, .tls) }) else { return [] }
      secret = (secret.count + 1, next)
    }
    opener.value.updated = secret
    let updated = candidate(place, secret.secret.withOctets { RecordProtection(trafficSecret: $0, suite) })
    return updated.map { [$0] } ?? []
  }

  /// Starts other keys for the following records of a side.
  func changeKeys(_ side: Side, to epoch: RecordOpener.Epoch) { sides[side].opener?.value.start(epoch) }

  /// Derives new keys from the current ones for the following records of a side (RFC 8446 §7.2).
  func updateKeys(_ side: Side, _ run: borrowing Run) {
    guard let opener = sides[side].opener, opener.value.epoch == .application else { return }
    let updates = opener.value.updates + 1
    opener.value.start(.application)
    opener.value.updates = updates
  }

  /// Whether the known secrets can open a record whose header has come.
  mutating func canOpenRecord(_ side: Side, _ run: inout Run) -> Bool {
    guard let negotiation, negotiation.value.hasParameters, !sides[side].isClosed else { return false }
    let isTLS13 = negotiation.value.isTLS13
    let isProtected =
      isTLS13 ? sides[side].contentType == TLSSide.ContentType.applicationData : sides[side].isProtected
    return isProtected && prepareOpener(side, &run)
  }

  /// Whether the secrets may have another name than the random of the hello that was read. So it is, too, where no hello was read.
  var hasUnknownName: Bool { facts.hasEncryptedHello || negotiation?.value.client == nil }

  /// Prepares to open records of a side, if known secrets may do it.
  mutating func prepareOpener(_ side: Side, _ run: inout Run) -> Bool {
    guard let negotiation, negotiation.value.hasParameters, !sides[side].isClosed else { return false }
    let isTLS13 = negotiation.value.isTLS13
    if let opener = sides[side].opener {
      if opener.value.protection != nil || opener.value.skipped < Self.attemptLimit { return true }
      guard opener.value.knownSecrets != run.secrets.count else { return false }
    }
    guard negotiation.value.canOpen else { return false }
    if !hasSecrets(side, run) {
      // The secret that opens a record of the server's handshake finds the name of an encrypted or lost hello.
      guard isTLS13, hasUnknownName, side != client, !run.secrets.isEmpty,
        sides.look(side, { $0.passed == 0 && $0.opener == nil })
      else { return false }
    }
    let opener = sides[side].opener ?? OwnMemory(RecordOpener())
    opener.value.knownSecrets = run.secrets.count
    guard sides[side].opener == nil else { return true }
    sides[side].opener = opener
    let takesEarlyData = side == client && negotiation.value.takesEarlyData == true
    opener.value.start(isTLS13 ? (takesEarlyData ? .early : .handshake) : .master)
    opener.value.skipped = Int(sides[side].passed)
    return true
  }

  /// The number of records tried in vain before a side is given up until there are other secrets.
  static var attemptLimit: Int { 64 }

  /// The number of trials of keys on one side until keys are found. A log may have many secrets for a record.
  static var trialLimit: Int { 4096 }
}
