import HTTPReassembly

/// Messages that a row may have counted besides its own.
struct RelatedMessages {
  /// Messages of the same load: hops of a redirection, requests repeated with credentials, interim responses.
  var hops: [WireMessage] = []
  /// For a 304, the earlier responses with the content; for a redirection, the response of its target.
  var contents: [WireMessage] = []

  /// The causes of a difference from the wire, if `figure` sums several messages or includes another message's content; else nil.
  func explain<R: Reading>(
    _ evidence: ReadingEvidence<R>, _ message: WireMessage, _ figure: Int, wire: Int
  ) -> [Cause]? {
    if !hops.isEmpty, let causes = sum(evidence, message, figure, wire) { return causes }
    guard R.self == BodyReading.self || R.self == WholeReading.self, message.row.kind == .response else { return nil }
    let octets = message.row.octets
    let kind: Cause.Kind = message.row.status == 304 ? .cachedContent : .redirectContent
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
