// A row by the believed readings: the causes of its difference, and the figures that it may have.

extension ReadingEvidence {
  /// The causes of the difference of `figure` from the wire's for `message`; nil when no believed reading gives it.
  func explain(_ message: WireMessage, _ figure: Int) -> [Cause]? {
    let readings = believed.filter { $0.rivals == 0 || $0.reading.isSure }.map(\.reading) + facts
    return readings.first { self.figure($0, message) == figure }.map { causes($0, message) }
  }

  /// The causes for a figure that is the wire's: none, unless the app's way to count is another, and these add up to 0.
  func causesOfNone(_ message: WireMessage, _ figure: Int) -> [Cause] {
    guard let first = believed.first, first.reading != plain, first.rivals == 0 || first.reading.isSure,
      self.figure(first.reading, message) == figure
    else { return [] }
    return causes(first.reading, message)
  }

  /// The causes of the likeliest reading for a figure that none gives; the rest is unexplained.
  func likeliest(_ message: WireMessage, _ figure: Int) -> [Cause] {
    let sure = believed.filter { $0.rivals == 0 || $0.reading.isSure }.map(\.reading)
    let readings = sure.isEmpty ? [plain] : sure
    return readings.first { $0.figure(of: message) != nil }.map { causes($0, message) } ?? []
  }

  /// The figures that an app with these readings may have for a message, the likeliest first; empty when nothing is known. The
  /// groups are those of the message's fields. If not complete, figures that single rows bear out are left out.
  func expected(of message: WireMessage, _ groups: [FieldGroup], isComplete: Bool = true) -> [Int] {
    var figures = believed.compactMap { $0.reading.figure(of: message, groups).map(unit.figure) }
    guard isComplete else { return figures }
    for reading in facts {
      if let figure = reading.figure(of: message, groups).map(unit.figure), !figures.contains(figure) {
        figures.append(figure)
      }
    }
    return figures
  }

  /// The likeliest figure of a message: the wire's when no reading is believed. Nil when it is unknown.
  func likely(_ message: WireMessage) -> Int? {
    believed.isEmpty ? figure(plain, message) : believed.lazy.compactMap { figure($0.reading, message) }.first
  }

  /// The causes of the difference that a reading in the log's unit makes.
  private func causes(_ reading: R, _ message: WireMessage) -> [Cause] {
    let causes = reading.causes(of: message)
    guard unit != .octets, let octets = reading.figure(of: message) else { return causes }
    return (causes + [Cause(.unit, unit.figure(octets) - octets, detail: unit.words)]).significant
  }
}
