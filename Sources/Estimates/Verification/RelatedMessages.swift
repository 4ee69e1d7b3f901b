import HTTPReassembly

/// Messages that a row may have counted besides its own.
struct RelatedMessages {
  /// Messages of the same load: hops of a redirection, requests repeated with credentials, interim responses.
  var hops: [WireMessage] = []
  /// For a 304, the earlier responses with the content; for a redirection, the response of its target.
  var contents: [WireMessage] = []

  /// The messages of a match. Contents are those of the kinds that count.
  init(_ match: Matching.Match, of message: WireMessage, _ wire: [WireMessage], _ kinds: Set<Cause.Kind>) {
    hops = match.hops.map { wire[$0] }
    contents =
      kinds.contains(Self.contentKind(message)) ? match.contents.filter { $0 != match.message }.map { wire[$0] } : []
  }

  /// The cause if a message's figure has the content of another one.
  fileprivate static func contentKind(_ message: WireMessage) -> Cause.Kind {
    message.row.status == 304 ? .cachedContent : .redirectContent
  }

  /// The causes of a difference from the wire, if `figure` sums several messages or includes another message's content; else nil.
  func explain<R: Reading>(
    _ evidence: ReadingEvidence<R>, _ message: WireMessage, _ figure: Int, wire: Int
  ) -> [Cause]? {
    if !hops.isEmpty, let causes = sum(evidence, message, figure, wire) { return causes }
    guard R.self == BodyReading.self || R.self == WholeReading.self, message.row.kind == .response else { return nil }
    let octets = message.row.octets
    let kind = Self.contentKind(message)
    let base = R.self == BodyReading.self ? octets.body : octets.total
    for content in contents {
      for length in [content.row.octets.body, content.decodedLength].compactMap({ $0 }) where length > 0 {
        let cause = Cause(kind, length - octets.body)
        if figure == base + length - octets.body { return [cause] }
        let headers = octets.startLine + octets.header
        if R.self == BodyReading.self, figure == headers + length { return [Cause(.headersInBody, headers), cause] }
      }
    }
    return nil
  }

  private func sum<R: Reading>(
    _ evidence: ReadingEvidence<R>, _ message: WireMessage, _ figure: Int, _ wireFigure: Int
  ) -> [Cause]? {
    let expected = evidence.expected(of: message, FieldGroup.groups(of: message))
    for own in Set([evidence.likely(message)].compactMap { $0 } + expected) {
      let others = hops.compactMap { evidence.likely($0) }
      guard others.count == hops.count, own + others.reduce(0, +) == figure,
        let reading = own == wireFigure ? [] : evidence.explain(message, own)
      else { continue }
      return (reading + [Cause(.hopsSummed, figure - own)]).significant
    }
    return nil
  }
}

extension Verification {
  /// The kinds of other messages' contents that a log counts.
  ///
  /// Tools are known to count some. In the log of an app's own monitor two rows must have such a figure, and nine in ten of those
  /// that it could explain.
  static func contentKinds(
    _ matching: Matching, _ log: AppLog, _ wire: [WireMessage], _ readings: (MessageKind) -> LogReadings
  ) -> Set<Cause.Kind> {
    let kinds: Set<Cause.Kind> = [.cachedContent, .redirectContent]
    guard log.dialect == .monitor else { return kinds }
    // Where figures are in wrong rows, they may have been another message's, too.
    guard !readings(.response).areMisplaced else { return [] }
    var rows: [Cause.Kind: (fitting: Int, telling: Int)] = [:]
    for (entry, match) in zip(log.entries, matching.matches) {
      guard let match, !match.isOpen, !match.contents.isEmpty else { continue }
      let message = wire[match.message]
      let kind = RelatedMessages.contentKind(message)
      let row = readings(entry.kind).compare(entry, message, RelatedMessages(match, of: message, wire, kinds))
      let fits = (row.body.causes + row.total.causes).contains { $0.kind == kind }
      guard fits || row.unexplained != 0 else { continue }
      rows[kind, default: (0, 0)].telling += 1
      if fits { rows[kind]?.fitting += 1 }
    }
    return kinds.filter { kind in rows[kind].map { $0.fitting > 1 && $0.fitting * 10 >= $0.telling * 9 } ?? false }
  }
}
