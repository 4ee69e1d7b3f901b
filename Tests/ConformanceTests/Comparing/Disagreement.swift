/// One figure on which an oracle and the library differ.
struct Disagreement: Hashable, Sendable {
  /// The oracle's table: `messages`, `streams`, …
  var table: String
  /// The capture.
  var file: String
  /// The sender, where the figure is of one direction; else one of the endpoints, or nothing.
  var source = ""
  /// The receiver, or the other endpoint.
  var destination = ""
  /// `request` or `response`, where the figure is of a message.
  var direction = ""
  /// Which of several, from 0.
  var ordinal = ""
  /// The figure's column in the oracle.
  var column: String
  /// What the oracle says.
  var oracle: String
  /// What the library says.
  var ours: String

  /// The disagreement as it stands in the list, without a reason.
  var record: String {
    [table, file, source, destination, direction, ordinal, column, oracle, ours].map(\.quotedForCSV)
      .joined(separator: ",")
  }
}

extension String {
  /// The text as a CSV field.
  fileprivate var quotedForCSV: String {
    guard contains(where: { "\",\r\n".contains($0) }) else { return self }
    return "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
