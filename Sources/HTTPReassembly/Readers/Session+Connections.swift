extension TCPConnection where Receiver == Session {
  /// Goes on with records that waited, after secrets have come. Returns the next check for octets; nil without a new one.
  mutating func lookForSecrets(_ run: inout Run) -> NextLook? {
    borrowRun(&run)
    goOnWithSecrets(&run)
    giveBackRun(&run)
    return takeLook()
  }

  /// Goes on with records that waited. The run must be borrowed.
  mutating func goOnWithSecrets(_ run: inout Run) {
    guard let needs = session?.lookForSecrets(&run) else { return }
    self.needs = needs
    advance(&run, isForced: false)
  }

  /// Makes the rows of its ended messages final.
  mutating func retireRows(_ run: inout Run) {
    borrowRun(&run)
    session?.retireEnded(&run)
    giveBackRun(&run)
  }
}
