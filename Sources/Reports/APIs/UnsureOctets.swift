import HTTPReassembly

/// Octets of messages of which a capture with holes does not tell for sure whose they are.
package struct UnsureOctets: Sendable, Equatable {
  /// Octets whose API is the likeliest one: the pairing of their messages is inferred.
  package var inferred = 0
  /// Octets that no API can be given: nothing is known of their requests.
  package var unknown = 0

  /// Those of an analysis.
  package init(_ totals: Totals) {
    for api in totals.apis { add(APICounts(api), APIKey(api, totals.texts)) }
  }

  /// Those of a report.
  init(_ apis: some Sequence<(key: APIKey, figures: APICounts)>) {
    for api in apis { add(api.figures, api.key) }
  }

  private mutating func add(_ figures: APICounts, _ key: APIKey) {
    inferred += figures[.inferred]
    if key.isUnknown { unknown += figures[.message] }
  }

  /// What people are told: a line for each that there is.
  package var lines: [String] {
    var lines: [String] = []
    if inferred > 0 { lines.append("message bytes whose API is only inferred: \(Numerals.grouped(inferred))") }
    if unknown > 0 { lines.append("message bytes that no API can be given: \(Numerals.grouped(unknown))") }
    return lines
  }
}
