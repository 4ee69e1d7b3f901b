// Records whose secrets may still come: a program is being followed that writes them, or a stream has them behind its packets.

extension TLSSession {
  /// Whether secrets of the connection may still come.
  func mayLearnSecrets(_ run: borrowing Run) -> Bool { run.mayLearnSecrets && !hasGivenUpSecrets }

  /// Whether the next record of a side, which begins with an octet, has to wait for secrets.
  mutating func beginsToWait(_ side: Side, _ firstOctet: UInt8, _ run: inout Run) -> Bool {
    let isProtected =
      sides.look(side) { $0.isProtected } || firstOctet == TLSSide.ContentType.applicationData
    var waits = false
    if isProtected { waits = lacksSecrets(side, run) }
    if waits, !sides[side].waitsForSecrets { run.hasBegunToWait = true }
    sides[side].waitsForSecrets = waits
    return waits
  }

  /// Whether protected records of a side can be opened only with secrets that may still come. Both sides' are waited for: a response
  /// that is read before its request is nobody's.
  private func lacksSecrets(_ side: Side, _ run: borrowing Run) -> Bool {
    guard mayLearnSecrets(run), let negotiation, negotiation.value.hasServerHello, !sides[side].isClosed,
      negotiation.value.suite?.protection != nil
    else { return false }
    guard negotiation.value.isTLS13 else {
      // A renegotiation has secrets of its own, from its change_cipher_spec on.
      if sides[side].opener?.value.protection != nil { return false }
      return !hasSecrets(run)
    }
    // Without the client's random, nothing names them.
    guard let name = negotiation.value.client else { return false }
    if hasBoth(.application, of: name, run) { return false }
    // Keys that are in use lack nothing, whatever the log lacks.
    guard let opener = sides[side].opener else { return !hasBoth(.handshake, of: name, run) }
    return opener.value.epoch == .application && opener.value.protection == nil
  }

  private func hasBoth(_ epoch: RecordOpener.Epoch, of name: SecretName, _ run: borrowing Run) -> Bool {
    guard run.secrets.has(label(epoch, 0), of: name) else { return false }
    return run.secrets.has(label(epoch, 1), of: name)
  }

  /// Secrets have come: sides whose own are among them go on. Returns what the streams have to know; nil when nobody waited.
  mutating func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    var hasWaited = false
    for side in 0..<2 where sides[side].waitsForSecrets {
      hasWaited = true
      sides[side].waitsForSecrets = lacksSecrets(side, run)
    }
    if let inner, let needs = withInner(&run, { inner.lookForSecrets(&$0) }) {
      hasWaited = true
      innerNeeds = needs
      offerHeld(&run)
    }
    return hasWaited ? needs : nil
  }

  /// Whether it waits, or what is inside of it does.
  var waitsForSecrets: Bool {
    sides.look(0) { $0.waitsForSecrets } || sides.look(1) { $0.waitsForSecrets } || inner?.waitsForSecrets ?? false
  }

  /// Waits no longer.
  mutating func giveUpSecrets() {
    hasGivenUpSecrets = hasGivenUpSecrets || sides[0].waitsForSecrets || sides[1].waitsForSecrets
    for side in 0..<2 { sides[side].waitsForSecrets = false }
  }
}
