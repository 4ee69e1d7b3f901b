/// What an app that logs one figure a message may have counted: a reading of each part, and chunk framing or not.
struct WholeReading: Reading {
  var line: LineReading
  var header: HeaderReading
  var body: BodyReading

  func figure(of message: WireMessage) -> Int? {
    guard let line = line.figure(of: message), let header = header.figure(of: message),
      let body = body.figure(of: message)
    else { return nil }
    return line + header + body
  }

  func causes(of message: WireMessage) -> [Cause] {
    (line.causes(of: message) + header.causes(of: message) + body.causes(of: message)
      + [Cause(.chunkFraming, -message.row.octets.framing), Cause(.trailers, -message.row.octets.trailer)]).netted
  }

  var cost: Int { line.cost + header.cost + body.cost }

  /// The readings whose figure is `figure`: for each line and body the cheapest header section.
  static func readings(of message: WireMessage, giving figure: Int) -> [WholeReading] {
    let search = HeaderReadingSearch(message)
    var found: [WholeReading] = []
    for line in message.row.kind == .request ? LineReading.requests : LineReading.responses {
      guard let lineFigure = line.figure(of: message) else { continue }
      for body in BodyReading.allCases {
        guard let bodyFigure = body.figure(of: message) else { continue }
        let headers = search.readings(giving: figure - lineFigure - bodyFigure)
        if let header = headers.min(by: { $0.cost < $1.cost }) {
          found.append(WholeReading(line: line, header: header, body: body))
        }
      }
    }
    return found.sorted { $0.cost < $1.cost }
  }
}
