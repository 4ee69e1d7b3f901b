/// A reason why a witness's figure is another than sniffer's although both are right: they count different things.
///
/// A rule explains a difference only if its own arithmetic gives the witness's figure exactly; where nothing can be
/// reckoned because octets are not in the capture or not readable, it holds only where sniffer itself says so.
/// The facts are those of `captures/README.md`, "What each program counts".
struct WitnessRule: Sendable {
  /// The rule's name in the table.
  let name: String
  /// Why the figures differ.
  let reason: String
  /// Whether it explains the difference of a field.
  let explains: @Sendable (WitnessField, WitnessedExchange, WitnessJoin) -> Bool

  /// All rules, in the order in which they are tried.
  static let all = ofServers + ofCurl + ofHTTP2 + ofProxies + ofRefusals + ofCaptures
}

extension WitnessedExchange {
  /// A figure of the witness.
  func witnessed(_ field: WitnessField) -> Int { witness.integer(field.rawValue) }
  /// Which server's figures the witness has.
  var source: String { witness["source"] }
  /// Octets of all messages of the exchange that the server sent.
  var answered: Int { responses.sum("message_bytes") }
}
