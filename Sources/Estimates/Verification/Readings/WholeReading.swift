import HTTPReassembly

/// The ways in which an app with one figure a message may have counted: a reading of each part, and chunk framing or not.
struct WholeReading: Reading {
  var line: LineReading
  var header: HeaderReading
  var body: BodyReading

  func figure(of message: WireMessage) -> Int? { figure(of: message, FieldGroup.groups(of: message)) }

  func figure(of message: WireMessage, _ groups: [FieldGroup]) -> Int? {
    guard let line = line.figure(of: message), let header = header.figure(of: message, groups),
      let body = body.figure(of: message)
    else { return nil }
    return line + header + body
  }

  /// The readings of parts are far fewer than their combinations, so that each is read once.
  static func figures(_ readings: [WholeReading], _ samples: [ReadingSample]) -> [[Int?]] {
    func columns<Part: Reading>(_ part: KeyPath<WholeReading, Part>) -> [Part: [Int?]] {
      let parts = Array(Set(readings.map { $0[keyPath: part] }))
      return Dictionary(uniqueKeysWithValues: zip(parts, Part.figures(parts, samples)))
    }
    let (lines, headers, bodies) = (columns(\.line), columns(\.header), columns(\.body))
    return readings.map { reading in
      guard let line = lines[reading.line], let header = headers[reading.header], let body = bodies[reading.body]
      else { return [] }
      return samples.indices.map { index in
        guard let line = line[index], let header = header[index], let body = body[index] else { return nil }
        return line + header + body
      }
    }
  }

  static func wire(_ message: WireMessage) -> Int { message.row.octets.total }

  func causes(of message: WireMessage) -> [Cause] {
    (line.causes(of: message) + headerCauses(of: message) + body.causes(of: message)
      + [Cause(.framing(of: message), -message.row.octets.framing), Cause(.trailers, -message.row.octets.trailer)])
      .netted
  }

  /// The causes of the header section. Two octets less are the empty line, the start-line's end or a shorter version, and where
  /// fields alone end with LF, it may be all lines: their sum is known.
  private func headerCauses(of message: WireMessage) -> [Cause] {
    let causes = header.causes(of: message)
    guard let form = header.form, isOneSum else { return causes }
    let parts = causes.filter { Self.ofSum.contains($0.kind) }
    return causes.filter { !Self.ofSum.contains($0.kind) } + [Cause(.ownForm, parts.octets, detail: form.formula)]
  }

  private static let ofSum: Set<Cause.Kind> = [.emptyLine, .lineTerminator]

  /// Whether octets of a line's end may be missing in the start-line or in the header section.
  var isOneSum: Bool {
    guard line != .nothing else { return false }
    return header.form == .withoutEmptyLine || header.form == .lineFeed && !line.endsWithLineFeed
  }

  static var simpleCost: Int { 3 }

  /// A sum shows several constants as one: each further one could have any part of it.
  var cost: Int {
    line.cost + header.cost + body.cost + 2 * max(line.constants + header.constants(with: line) - 1, 0)
      + (line.hasShortVersion ? 1 : 0)
      // A whole URL adds as many octets as a Host field has, or another one that is left out.
      + (line.isAbsolute && !header.unseen.isEmpty ? 3 : 0)
  }

  /// In a sum, an uncounted part could be any of its octets, so this assumption needs many rows too.
  var simpler: [WholeReading] {
    header.simpler.map { WholeReading(line: line, header: $0, body: body) }
      + line.simpler.map { WholeReading(line: $0, header: header, body: body) } + withoutCancelled
  }

  /// Two assumptions may cancel each other in all messages: a whole URL and a field that is left out, and -1 for a body and one octet
  /// more for its coding. This is the reading without both.
  private var withoutCancelled: [WholeReading] {
    var header = header
    if body == .expectedLength, header.namesIdentity {
      header.namesIdentity = false
      return [WholeReading(line: line, header: header, body: .nothing)]
    }
    guard line.isAbsolute else { return [] }
    return header.unseen.map { name in
      var seen = header
      seen.unseen.removeAll { $0 == name }
      return WholeReading(line: line.asSent, header: seen, body: body)
    }
  }

  var borneOut: [WholeReading] {
    line.borneOut.filter { $0 != .nothing }.map { WholeReading(line: $0, header: header, body: body) }
      + header.borneOut.filter { $0.form != nil }.map { WholeReading(line: line, header: $0, body: body) }
      + body.borneOut.map { WholeReading(line: line, header: header, body: $0) }
  }

  func joined(_ other: WholeReading) -> WholeReading? {
    guard line == other.line, body == other.body, let header = header.joined(other.header) else { return nil }
    return WholeReading(line: line, header: header, body: body)
  }

  var fields: HeaderReading? { header }
  var assumptions: Int { header.assumptions + (line == .nothing ? 1 : 0) }

  func isOfOneProgram(with other: WholeReading) -> Bool {
    header.isOfOneProgram(with: other.header) && line.isOfOneProgram(with: other.line)
      && (line == .nothing) == (other.line == .nothing)
  }

  var isForm: Bool { header.isForm }
  var unseen: [String] { header.unseen }
  func leavingOut(_ name: String, insteadOf other: String?) -> WholeReading? {
    header.leavingOut(name, insteadOf: other).map { WholeReading(line: line, header: $0, body: body) }
  }
  var isUnnamed: Bool { header.isUnnamed }
  var isEvident: Bool { line == .nothing && header == .nothing && body == .nothing }

  static func coarse(_ kind: MessageKind) -> [WholeReading] {
    [BodyReading.transferred, .decoded, .nothing].flatMap { body in
      ([.plain(kind)] + LineReading.coarse(kind) + [.nothing]).map {
        WholeReading(line: $0, header: .plain(kind), body: body)
      } + [WholeReading(line: .nothing, header: .nothing, body: body)]
    }
  }

  static func plain(_ kind: MessageKind) -> WholeReading {
    WholeReading(line: .plain(kind), header: .plain(kind), body: .plain(kind))
  }

  /// The largest number of readings of one message that are voted on: the cheapest.
  static let limit = 100

  /// The readings whose figure is `figure`: the cheapest header section for each line and body.
  static func readings(of message: WireMessage, giving figure: Int) -> [WholeReading] {
    let search = HeaderReadingSearch(message)
    let bodies = BodyReading.allCases.compactMap { body in body.figure(of: message).map { (body, $0) } }
    // Many lines and bodies leave the same octets.
    var headers: [Int: HeaderReading?] = [:]
    var found: [WholeReading] = []
    for line in LineReading.all(for: message) {
      guard let lineFigure = line.figure(of: message) else { continue }
      for (body, bodyFigure) in bodies {
        let rest = figure - lineFigure - bodyFigure
        // In a sum, a start-line counts in full or not at all.
        let header =
          headers[rest]
          ?? search.readings(giving: rest).filter { $0.line == nil }.min { $0.cost < $1.cost }
        headers[rest] = .some(header)
        if let header { found.append(WholeReading(line: line, header: header, body: body)) }
      }
    }
    return Array(found.sorted { $0.cost < $1.cost }.prefix(limit))
  }
}
