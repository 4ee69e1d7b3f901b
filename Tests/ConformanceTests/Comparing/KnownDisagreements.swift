import Foundation
import TestSupport
import Testing

/// The list of the disagreements that are known, each with the reason why the oracle is wrong or silent.
struct KnownDisagreements {
  private let reasons: [Disagreement: String]

  /// The part of the list that concerns one table of the oracle.
  init(table: String) throws {
    var reasons: [Disagreement: String] = [:]
    let list = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: Locations.disagreements))), lineEnd: .lineFeed)
    for row in list.rows where row["table"] == table {
      let disagreement = Disagreement(
        table: table, file: row["file"], source: row["src"], destination: row["dst"], direction: row["dir"],
        ordinal: row["ordinal"], column: row["column"], oracle: row["oracle"], ours: row["ours"])
      #expect(row["reason"].count > 20, "a reason for \(disagreement.record)")
      #expect(reasons[disagreement] == nil, "listed twice: \(disagreement.record)")
      reasons[disagreement] = row["reason"]
    }
    self.reasons = reasons
  }

  /// Whether a disagreement is in the list with exactly these values.
  func contains(_ disagreement: Disagreement) -> Bool { reasons[disagreement] != nil }

  /// Expects that the list is what was found, no more and no less.
  func expectExactly(_ found: [Disagreement], sourceLocation: SourceLocation = #_sourceLocation) {
    for disagreement in found where !contains(disagreement) {
      Issue.record("not in the list: \(disagreement.record)", sourceLocation: sourceLocation)
    }
    let found = Set(found)
    for disagreement in reasons.keys where !found.contains(disagreement) {
      Issue.record("no longer occurs: \(disagreement.record)", sourceLocation: sourceLocation)
    }
  }
}
