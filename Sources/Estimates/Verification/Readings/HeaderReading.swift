import HTTPReassembly

/// The ways in which an app receives fields of the same name (RFC 9110 §5.3).
enum Folding: Int, CaseIterable, Hashable, Sendable {
  /// Each on a line of its own.
  case none
  /// As one, the values joined by a comma and a space.
  case comma
  /// As one, the values joined by a line feed (Firefox, of Set-Cookie).
  case lineFeed

  /// Octets between two values.
  var separator: Int { self == .lineFeed ? 1 : 2 }
  /// The improbability of the folding.
  var cost: Int { rawValue }
}

/// The ways in which an app may have counted the header section.
struct HeaderReading: Reading {
  /// The form of fields; nil when they are not counted.
  var form: HeaderForm?
  /// The folding of repeated fields.
  var folds = Folding.none
  /// Whether the app gets `Transfer-Encoding: Identity` where the wire said `chunked`.
  var namesIdentity = false
  /// The start-line that counts as part of the header section; nil when none does.
  var line: LineReading?
  /// Whether pseudo-header fields count as fields (RFC 9113 §8.3), without a Host field for `:authority`.
  var countsPseudoFields = false
  /// Fields that the app counts and HTTP/2 does not send, in the order of their cases.
  var unsent: [UnsentField] = []
  /// Names of the fields that the app does not see, in lower case, sorted.
  var unseen: [String] = []

  /// The header section is not counted.
  static let nothing = HeaderReading(form: nil)

  func figure(of message: WireMessage) -> Int? { figure(of: message, FieldGroup.groups(of: message)) }

  func figure(of message: WireMessage, _ groups: [FieldGroup]) -> Int? {
    guard let form else { return 0 }
    guard !message.isHeaderCut, !message.row.flags.contains(.headerNotSeen) else { return nil }
    if let line, line.figure(of: message) == nil { return nil }
    if form.isEncoded {
      guard message.isEncoded else { return nil }
    } else {
      guard message.spelledHeader != nil else { return nil }
    }
    if form.isEncoded { return message.row.octets.header + causes(of: message, groups).octets }
    return text(form, message, groups)
  }

  /// The figure of a form of text. It is the wire's with all causes, without a list of them: this is asked for most often.
  private func text(_ form: HeaderForm, _ message: WireMessage, _ groups: [FieldGroup]) -> Int {
    var octets = 0
    var fields = 0
    for group in groups where unseen.isEmpty || !unseen.contains(group.name) {
      fields += group.countedLines(folds: folds)
      octets += group.namesAndValues(folds: folds) - group.uncounted(form.texts, folds: folds)
      octets += group.quoted(form.quoting, folds: folds)
      if namesIdentity, group.isChunked { octets += 1 }
    }
    for field in unsent where field.applies(to: message) {
      octets += field.textLength
      fields += 1
    }
    if countsPseudoFields, message.isEncoded {
      let pseudo = PseudoFields(message)
      let host = unseen.contains("host") ? nil : groups.first { $0.name == "host" }
      octets += pseudo.textLength + 4 * (host?.lines ?? 0) - (host.map(\.wireLength) ?? 0)
      fields += pseudo.count - (host?.lines ?? 0)
    }
    octets += form.octets(fields: fields)
    guard let line else { return octets }
    return octets + message.row.octets.startLine + line.causes(of: message).octets
  }

  static func wire(_ message: WireMessage) -> Int { message.row.octets.header }

  func causes(of message: WireMessage) -> [Cause] { causes(of: message, FieldGroup.groups(of: message)) }

  private func causes(of message: WireMessage, _ groups: [FieldGroup]) -> [Cause] {
    let wire = message.row.octets.header
    guard let form else { return [Cause(.headerNotCounted, -wire)].significant }
    let lineCauses = line.map { [Cause(.lineInHeader, message.row.octets.startLine)] + $0.causes(of: message) } ?? []
    if form.isEncoded {
      let frame = form == .encodedWithFrame ? [Cause(.frameHeaders, message.fieldFrameHeader)] : []
      return (frame + lineCauses).significant
    }
    let spelled = message.spelledHeader ?? wire
    var causes = [Cause(.fieldCompression, spelled - wire)]
    var fields = 0
    var quoted = 0
    var uncounted = 0
    // Octets that the kept lines do not show: folding, and lines that end with LF alone.
    var shape = 2 - spelled
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
      quoted += group.quoted(form.quoting, folds: folds)
      uncounted += group.uncounted(form.texts, folds: folds)
      if namesIdentity, group.isChunked { causes.append(Cause(.transferEncodingIdentity, 1)) }
    }
    causes.append(Cause(.fieldLineShape, shape))
    causes.append(Cause(.foldedFields, folded))
    for field in unsent where field.applies(to: message) {
      causes.append(Cause(.fieldNotSent, field.textLength + 4, detail: field.name))
      fields += 1
    }
    if countsPseudoFields, message.isEncoded {
      let pseudo = PseudoFields(message)
      let host = unseen.contains("host") ? nil : groups.first { $0.name == "host" }
      causes.append(
        Cause(.pseudoFields, pseudo.textLength + 4 * pseudo.count - (host.map(\.wireLength) ?? 0)))
      fields += pseudo.count - (host?.lines ?? 0)
    }
    causes += form.causes(fields: fields, quoted: quoted, uncounted: uncounted)
    return (causes + lineCauses).significant
  }

  var simpler: [HeaderReading] {
    guard let form else { return [] }
    func with(_ change: (inout HeaderReading) -> Void) -> HeaderReading {
      var reading = self
      change(&reading)
      return reading
    }
    var simpler = unseen.map { name in with { $0.unseen.removeAll { $0 == name } } }
    simpler += unsent.filter { $0 != .transferEncoding }.map { field in with { $0.unsent.removeAll { $0 == field } } }
    if countsPseudoFields { simpler.append(with { $0.countsPseudoFields = false }) }
    if form != .wire, form != .encoded { simpler.append(with { $0.form = .wire }) }
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
    // A start-line may be counted without its query.
    let lines = (line?.borneOut ?? []).filter { $0 != .nothing }.map { other in
      var reading = self
      reading.line = other
      return reading
    }
    // The same holds for a request's transfer coding, which only some requests can have.
    var coded = self
    coded.unsent = UnsentField.allCases.filter { ($0 == .transferEncoding) != unsent.contains($0) }
    return [.nothing, identity, coded] + folded + lines
  }

  var assumptions: Int {
    let ofForm = form == .wire || form == .encoded ? 0 : (form?.cost ?? 0) < 6 ? 1 : 3
    return unseen.count + unsent.count + (countsPseudoFields ? 1 : 0) + ofForm + (line == nil ? 0 : 1)
  }

  func isOfOneProgram(with other: HeaderReading) -> Bool {
    guard let form, let otherForm = other.form else { return true }
    // A program may count representations on HTTP/2 and text on HTTP/1.
    if form.isEncoded != otherForm.isEncoded { return true }
    return form == otherForm && (line == nil) == (other.line == nil)
  }

  func joined(_ other: HeaderReading) -> HeaderReading? {
    guard form == other.form, line == other.line, countsPseudoFields == other.countsPseudoFields else { return nil }
    var joined = self
    joined.unsent = UnsentField.allCases.filter { unsent.contains($0) || other.unsent.contains($0) }
    joined.folds = folds == .none ? other.folds : folds
    joined.unseen = Set(unseen).union(other.unseen).sorted()
    return joined
  }

  func leavingOut(_ name: String, insteadOf other: String?) -> HeaderReading? {
    guard form != nil else { return nil }
    var reading = self
    reading.unseen = (unseen.filter { $0 != other } + [name]).sorted()
    return reading
  }

  // Pseudo-header fields of messages with equal shapes may be any octets.
  var isForm: Bool { unseen.isEmpty && !countsPseudoFields }
  var isUnnamed: Bool { isForm && form?.isUnnamed ?? false }
  var isEvident: Bool { form == nil }

  static func coarse(_ kind: MessageKind) -> [HeaderReading] {
    [.nothing, HeaderReading(form: .withoutEmptyLine), HeaderReading(form: .wire, line: .plain(kind))]
  }

  static func plain(_ kind: MessageKind) -> HeaderReading { HeaderReading(form: .wire) }

  var cost: Int {
    guard let form else { return 1 }
    // Octets of a message that no form needs may be other fields, or a line.
    let isOdd = form.isUnnamed && (line != nil || countsPseudoFields) && abs(form.base) > Self.mostBase
    return form.cost + folds.cost + (namesIdentity ? 1 : 0) + unsent.count + (isOdd ? 3 : 0)
      + (countsPseudoFields ? 3 : 0) + (line.map { 2 + $0.cost } ?? 0)
      // Fields that are left out and pseudo-header fields that are added give any sum.
      + (unseen.isEmpty || !countsPseudoFields ? 0 : 3)
      + unseen.reduce(0) { $0 + Self.cost(unseen: $1) }
  }

  /// The number of assumptions that add the same octets to all messages with as many fields, beside those of `line`. Lines that all
  /// end with LF are one assumption. Firefox alone has its mark, and its archives have no totals.
  func constants(with line: LineReading) -> Int {
    let isOneEnd = line.endsWithLineFeed && (form == .lineFeed || form == .lineFeedWithEmptyLine)
    return (ownForm == nil || isOneEnd ? 0 : 1) + (countsPseudoFields ? 1 : 0)
      + unsent.reduce(0) { $0 + ($1 == .firefoxMark ? 3 : 1) }
  }

  /// The largest number of octets that a form often has beside its fields.
  private static let mostBase = 16

  /// The improbability that an app does not see a field: the URL loading system adds some without showing them.
  static func cost(unseen name: String) -> Int { added.contains(name) ? 1 : 6 }

  private static let added: Set<String> = [
    "accept", "accept-encoding", "accept-language", "connection", "content-length", "cookie", "expect", "host",
    "te", "transfer-encoding", "user-agent",
  ]
}

extension LogDialect {
  /// The reading of header sections that a dialect documents; nil where it says nothing, or something else than HAR 1.2.
  func documentedHeader(_ kind: MessageKind) -> HeaderReading? {
    switch self {
    case .har, .harCharles, .harProxyman, .urlSessionMetrics, .curl:
      var reading = HeaderReading.plain(kind)
      reading.line = .plain(kind)
      return reading
    case .monitor, .chromeNetlog, .harChrome, .harPlaywright, .harFirefox, .harSafari, .harMitmproxy: return nil
    }
  }
}
