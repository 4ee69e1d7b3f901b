import HTTPReassembly

/// How an app is given fields of the same name (RFC 9110 §5.3).
enum Folding: Int, CaseIterable, Hashable, Sendable {
  /// Each as a line of its own.
  case none
  /// As one, the values joined by a comma and a space.
  case comma
  /// As one, the values joined by a line feed (Firefox, of Set-Cookie).
  case lineFeed

  /// Octets between two values.
  var separator: Int { self == .lineFeed ? 1 : 2 }
  /// How far-fetched.
  var cost: Int { rawValue }
}

/// What an app may have counted as the header section.
struct HeaderReading: Reading {
  /// How it writes fields; nil: it does not count them.
  var form: HeaderForm?
  /// How repeated fields become one, if they do.
  var folds = Folding.none
  /// Whether it is told `Transfer-Encoding: Identity` where the wire said `chunked`.
  var namesIdentity = false
  /// The start-line that counts as part of the header section; nil: none does.
  var line: LineReading?
  /// Names of the fields that it does not see, in lower case, sorted.
  var unseen: [String] = []

  /// No header section counted.
  static let nothing = HeaderReading(form: nil)

  func figure(of message: WireMessage) -> Int? { figure(of: message, FieldGroup.groups(of: message)) }

  func figure(of message: WireMessage, _ groups: [FieldGroup]) -> Int? {
    guard form != nil else { return 0 }
    guard !message.isHeaderCut, !message.row.flags.contains(.headerNotSeen) else { return nil }
    if let line, line.figure(of: message) == nil { return nil }
    if namesIdentity, !groups.contains(where: { $0.isChunked }) { return nil }
    return message.row.octets.header + causes(of: message, groups).octets
  }

  func causes(of message: WireMessage) -> [Cause] { causes(of: message, FieldGroup.groups(of: message)) }

  private func causes(of message: WireMessage, _ groups: [FieldGroup]) -> [Cause] {
    let wire = message.row.octets.header
    guard let form else { return [Cause(.headerNotCounted, -wire)].significant }
    var causes: [Cause] = []
    var fields = 0
    var escaped = 0
    // What is not in any line as it is kept: folding, and lines that end with LF alone.
    var shape = 2 - wire
    var folded = 0
    for group in groups {
      shape += group.wireLength
      guard !unseen.contains(group.name) else {
        causes.append(
          group.name == "cookie"
            ? Cause(.cookies, -group.wireLength) : Cause(.fieldNotSeen, -group.wireLength, detail: group.name))
        continue
      }
      let canonical = group.namesAndValues(folds: .none) + 4 * group.lines
      let counted = group.namesAndValues(folds: folds) + 4 * group.countedLines(folds: folds)
      shape += canonical - group.wireLength
      folded += counted - canonical
      fields += group.countedLines(folds: folds)
      escaped += group.escaped(folds: folds)
      if namesIdentity, group.isChunked { causes.append(Cause(.transferEncodingIdentity, 1)) }
    }
    causes.append(Cause(.fieldLineShape, shape))
    causes.append(Cause(.foldedFields, folded))
    causes += form.causes(fields: fields, escaped: escaped)
    if let line {
      causes.append(Cause(.lineInHeader, message.row.octets.startLine))
      causes += line.causes(of: message)
    }
    return causes.significant
  }

  var simpler: [HeaderReading] {
    guard let form else { return [] }
    func with(_ change: (inout HeaderReading) -> Void) -> HeaderReading {
      var reading = self
      change(&reading)
      return reading
    }
    var simpler = unseen.map { name in with { $0.unseen.removeAll { $0 == name } } }
    if form != .wire { simpler.append(with { $0.form = .wire }) }
    if line != nil { simpler.append(with { $0.line = nil }) }
    return simpler
  }

  var borneOut: [HeaderReading] {
    guard form != nil else { return [] }
    let folded = Folding.allCases.filter { $0 != folds }.map { folding in
      var reading = self
      reading.folds = folding
      return reading
    }
    var identity = self
    identity.namesIdentity.toggle()
    // A start-line that is counted may be counted without its query.
    let lines = (line?.borneOut ?? []).filter { $0 != .nothing }.map { other in
      var reading = self
      reading.line = other
      return reading
    }
    return [.nothing, identity] + folded + lines
  }

  var assumptions: Int { unseen.count + (form == .wire ? 0 : 1) + (line == nil ? 0 : 1) }

  func isOfOneProgram(with other: HeaderReading) -> Bool {
    form == nil || other.form == nil || form == other.form && (line == nil) == (other.line == nil)
  }

  func joined(_ other: HeaderReading) -> HeaderReading? {
    guard form == other.form, line == other.line else { return nil }
    var joined = self
    joined.folds = folds == .none ? other.folds : folds
    joined.unseen = Set(unseen).union(other.unseen).sorted()
    return joined
  }

  static func plain(_ kind: MessageKind) -> HeaderReading { HeaderReading(form: .wire) }

  var cost: Int {
    guard let form else { return 1 }
    return form.cost + folds.cost + (namesIdentity ? 1 : 0) + (line.map { 2 + $0.cost } ?? 0)
      + unseen.reduce(0) { $0 + Self.cost(unseen: $1) }
  }

  /// How far-fetched it is that an app does not see a field: the URL loading system adds some without showing them.
  static func cost(unseen name: String) -> Int { added.contains(name) ? 1 : 6 }

  private static let added: Set<String> = [
    "accept", "accept-encoding", "accept-language", "connection", "content-length", "cookie", "expect", "host",
    "transfer-encoding", "user-agent",
  ]
}
