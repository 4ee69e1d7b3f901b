extension TCPConnection where Receiver == Session {
  /// Goes on with records that waited, after secrets have come.
  mutating func lookForSecrets(_ run: inout Run) {
    borrowRun(&run)
    goOnWithSecrets(&run)
    giveBackRun(&run)
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
