import HTTPReassembly

/// How the log of one app counts: the readings of each figure that its rows agree on.
struct LogReadings {
  private let lines: ReadingPool<LineReading>
  private let headers: ReadingPool<HeaderReading>
  private let bodies: ReadingPool<BodyReading>
  private let wholes: ReadingPool<WholeReading>

  /// The readings of the pairs' figures; the pairs are all requests, or all responses.
  init(_ pairs: [(entry: LogEntry, message: WireMessage)]) {
    func samples(_ figure: (LogEntry) -> Int?) -> [(message: WireMessage, figure: Int)] {
      pairs.compactMap { pair in figure(pair.entry).map { (pair.message, $0) } }
    }
    lines = ReadingPool(samples(\.lineLength)) { message, figure in
      (message.row.kind == .request ? LineReading.requests : LineReading.responses)
        .filter { $0.figure(of: message) == figure }
    }
    headers = ReadingPool(samples(\.headerLength)) { HeaderReadingSearch($0).readings(giving: $1) }
    bodies = ReadingPool(samples(\.bodyLength)) { message, figure in
      BodyReading.allCases.filter { $0.figure(of: message) == figure }
    }
    wholes = ReadingPool(samples { $0.hasAllParts ? nil : $0.length }) { WholeReading.readings(of: $0, giving: $1) }
  }

  /// The reading of each figure that explains most rows, and how many of the rows looked at it explains.
  var best: [BestReading] {
    var best: [BestReading] = []
    if let top = lines.ranked.first { best.append(BestReading("start-line", top.reading.description, top.votes)) }
    if let top = headers.ranked.first { best.append(BestReading("header", top.reading.description, top.votes)) }
    if let top = bodies.ranked.first { best.append(BestReading("body", top.reading.description, top.votes)) }
    if let top = wholes.ranked.first {
      let reading = top.reading
      best.append(
        BestReading("message", "\(reading.line); \(reading.header); \(reading.body)", top.votes))
    }
    return best
  }

  /// Compares a row with its message.
  func compare(_ entry: LogEntry, _ message: WireMessage) -> VerifiedRow {
    let octets = message.row.octets
    var row = VerifiedRow(entry: entry, message: message)
    row.line = comparison(lines, entry.lineLength, octets.startLine, entry, message)
    row.header = comparison(headers, entry.headerLength, octets.header, entry, message)
    row.body = comparison(bodies, entry.bodyLength, octets.body, entry, message)
    if let length = entry.length, !entry.hasAllParts {
      row.total = comparison(wholes, length, octets.total, entry, message)
    } else {
      row.total = sum(row, entry, message)
    }
    return row
  }

  private func comparison<R: Reading>(
    _ pool: ReadingPool<R>, _ figure: Int?, _ wire: Int, _ entry: LogEntry, _ message: WireMessage
  ) -> FigureComparison {
    var comparison = FigureComparison(app: figure, wire: wire)
    // What does not differ needs no reason.
    guard let figure, figure != wire else { return comparison }
    if let causes = pool.explain(message, figure) {
      comparison.causes = causes
      return comparison
    }
    comparison.causes = pool.likeliest(message)
    let rest = figure - wire - comparison.causes.octets
    if R.self != LineReading.self, R.self != HeaderReading.self, isCutShort(figure, entry, message) {
      comparison.causes = (comparison.causes + [Cause(.aborted, rest)]).netted
    } else {
      comparison.unexplained = rest
    }
    return comparison
  }

  /// Whether a figure can be that of a transfer of which the app, or the capture, has seen a part only.
  private func isCutShort(_ figure: Int, _ entry: LogEntry, _ message: WireMessage) -> Bool {
    guard entry.isAborted || message.row.exactness == .atLeast else { return false }
    let octets = message.row.octets
    return figure >= 0 && figure <= max(octets.total, message.decodedLength ?? 0) + octets.startLine + octets.header
  }

  /// The whole message from its parts.
  private func sum(_ row: VerifiedRow, _ entry: LogEntry, _ message: WireMessage) -> FigureComparison {
    let octets = message.row.octets
    let parts = [entry.lineLength, entry.headerLength, entry.bodyLength]
    var total = FigureComparison(wire: octets.total)
    guard entry.length != nil || parts.contains(where: { $0 != nil }) else { return total }
    let sum = parts.reduce(0) { $0 + ($1 ?? 0) }
    total.app = entry.length ?? sum
    var causes = row.line.causes + row.header.causes + row.body.causes
    if row.line.app == nil { causes.append(Cause(.lineNotCounted, -octets.startLine)) }
    if row.header.app == nil { causes.append(Cause(.headerNotCounted, -octets.header)) }
    if row.body.app == nil { causes.append(Cause(.bodyNotCounted, -octets.body)) }
    causes += [Cause(.chunkFraming, -octets.framing), Cause(.trailers, -octets.trailer)]
    let rest = (total.app ?? sum) - sum
    if rest == octets.framing + octets.trailer {
      causes += [Cause(.chunkFraming, octets.framing), Cause(.trailers, octets.trailer)]
    } else {
      causes.append(Cause(.sumOfParts, rest))
    }
    total.causes = causes.netted
    total.unexplained = row.line.unexplained + row.header.unexplained + row.body.unexplained
    return total
  }
}

extension LogEntry {
  /// Whether every part has a figure, so that the whole needs no reading of its own.
  fileprivate var hasAllParts: Bool { lineLength != nil && headerLength != nil && bodyLength != nil }
}
