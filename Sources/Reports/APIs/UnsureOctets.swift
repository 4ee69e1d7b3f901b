import HTTPReassembly

/// Octets of messages whose API is uncertain, because the capture has gaps.
package struct UnsureOctets: Sendable, Equatable {
  /// Octets with only a likeliest API: the pairing of their messages is inferred.
  package var inferred = 0
  /// Octets without an API: their requests are unknown.
  package var unknown = 0

  /// The octets of an analysis.
  package init(_ totals: Totals) {
    for api in totals.apis { add(APICounts(api), APIKey(api, totals.texts)) }
  }

  /// The octets of a report.
  init(_ apis: some Sequence<(key: APIKey, figures: APICounts)>) {
    for api in apis { add(api.figures, api.key) }
  }

  private mutating func add(_ figures: APICounts, _ key: APIKey) {
    inferred += figures[.inferred]
    if key.isUnknown { unknown += figures[.message] }
  }

  /// The lines for people: one for each kind that is not 0.
  package var lines: [String] {
    var lines: [String] = []
    if inferred > 0 { lines.append("\(Numerals.grouped(inferred)) bytes were assigned to an API by inference") }
    if unknown > 0 { lines.append("\(Numerals.grouped(unknown)) bytes of messages could not be assigned to an API") }
    return lines
  }
}
