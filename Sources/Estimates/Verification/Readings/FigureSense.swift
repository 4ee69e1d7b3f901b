/// The sense of a column's figures for one kind of messages: it tells whether those of 0 are to be believed.
enum FigureSense {
  /// Too few to say anything.
  case few
  /// Nearly all are 0; the others may be errors.
  case silent
  /// Most of those beside 0 are not understood, or a long message has a far smaller figure: one of 0 may be a rounded figure, or a
  /// coincidence.
  case strange
  /// Most of those beside 0 are understood.
  case understood
}

extension LogReadings {
  /// Takes back what figures of 0 say where they may be something else. One program writes the columns of both kinds of messages.
  ///
  /// They may be rounded if any column has a large unit, or if no column has other figures. In a strange column they may be a
  /// coincidence. A part that is nearly always 0 may be in another part's figures, where those are strange. Where figures are
  /// misplaced, they may be another message's.
  static func doubtZeros(_ requests: LogReadings, _ responses: LogReadings, areMisplaced: Bool) {
    let kinds = [requests, responses]
    for readings in kinds { readings.misplace(areMisplaced) }
    let senses = kinds.map(\.senses)
    let all = senses.joined()
    let isRounded = kinds.contains { $0.units.contains(where: \.isLarge) }
    let tellsNothing = all.allSatisfy { $0 == .silent || $0 == .few }
    let mayBeMoved = senses.contains { $0.prefix(3).contains(.strange) }
    for column in senses[0].indices {
      let both = senses.map { $0[column] }
      guard
        areMisplaced || isRounded || tellsNothing || both.contains(.strange)
          || column < 3 && mayBeMoved && both.contains(.silent) && both.allSatisfy({ $0 == .silent || $0 == .few })
      else { continue }
      for readings in kinds { readings.doubtZeros(column) }
    }
  }
}
