// Records whose secrets may still come, from a followed program that writes them, or from the stream behind its packets.

extension TLSSession {
  /// Whether secrets of the connection may still come.
  func mayLearnSecrets(_ run: borrowing Run) -> Bool { run.secrets.mayGrow && !hasGivenUpSecrets }

  /// Whether the next record of a side, which begins with this octet, has to wait for secrets.
  mutating func beginsToWait(_ side: Side, _ firstOctet: UInt8, _ run: inout Run) -> Bool {
    let isProtected =
      sides.look(side) { $0.isProtected } || firstOctet == TLSSide.ContentType.applicationData
    var waits = false
    if isProtected { waits = lacksSecrets(side, run) }
    if waits, !sides[side].waitsForSecrets { run.secrets.hasNewWaiter = true }
    sides[side].waitsForSecrets = waits
    return waits
  }

  /// Whether only secrets that may still come can open protected records of a side.
  ///
  /// Both sides' secrets are awaited. A response that is read before its request would have no owner.
  private func lacksSecrets(_ side: Side, _ run: borrowing Run) -> Bool {
    guard mayLearnSecrets(run), let negotiation, negotiation.value.hasServerHello, !sides[side].isClosed,
      negotiation.value.suite?.protection != nil
    else { return false }
    guard negotiation.value.isTLS13 else {
      // A renegotiation has its own secrets from its change_cipher_spec on.
      if sides[side].opener?.value.protection != nil { return false }
      return !hasSecrets(run)
    }
    // Secrets are named by the client's random.
    guard let name = negotiation.value.client else { return false }
    if hasBoth(.application, of: name, run) { return false }
    // Current keys are enough, even if the log lacks secrets.
    guard let opener = sides[side].opener else { return !hasBoth(.handshake, of: name, run) }
    return opener.value.epoch == .application && opener.value.protection == nil
  }

  private func hasBoth(_ epoch: RecordOpener.Epoch, of name: SecretName, _ run: borrowing Run) -> Bool {
    guard run.secrets.has(label(epoch, 0), of: name) else { return false }
    return run.secrets.has(label(epoch, 1), of: name)
  }

  /// Uses new secrets on the sides that waited for them. Returns the session's needs; nil when no side waited.
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

  /// Whether it waits, or a session inside of it.
  var waitsForSecrets: Bool {
    sides.look(0) { $0.waitsForSecrets } || sides.look(1) { $0.waitsForSecrets } || inner?.waitsForSecrets ?? false
  }

  /// Stops waiting for secrets.
  mutating func giveUpSecrets() {
    hasGivenUpSecrets = hasGivenUpSecrets || sides[0].waitsForSecrets || sides[1].waitsForSecrets
    for side in 0..<2 { sides[side].waitsForSecrets = false }
  }
}
