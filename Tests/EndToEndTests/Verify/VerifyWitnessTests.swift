import Foundation
import TestSupport
import Testing

/// `sniffer verify` on logs of programs that nobody here wrote, recorded beside the packets (`captures/verify`). Which row is
/// which message is known from a number in each request, by a reader of the packets that shares no code with the program.
@Suite(.timeLimit(.minutes(10))) struct VerifyWitnessTests {
  private let record = Corpus.folder.appendingPathComponent("record")
  private let logs = Corpus.folder.appendingPathComponent("verify")

  /// Octets without a reason: the characters of decoded paths and of JSON escapes, and a redirection's content from Firefox'
  /// cache, which the packets do not show.
  private static let unexplained = [
    "characters/exchanges-log.csv": 80, "characters/log.csv": 80, "characters/totals.csv": 80, "firefox/log.har": 264,
  ]

  @Test(.enabled(if: Environment.tool("python3") != nil, "needs python3"))
  func noRowIsComparedWithAnotherMessage() throws {
    let outcome = try Command.run(record.appendingPathComponent("check-verify"), [Sniffer.url.path, logs.path])
    print(outcome.output)
    #expect(outcome.status == 0, "\(outcome.error)")
    let lines = outcome.output.split(separator: "\n").map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    }
    let columns = [
      "rows", "right", "wrong", "ambiguous", "split", "unpaired", "absent", "unexpl.", "invented", "exact",
    ]
    #expect(try #require(lines.first) == ["log"] + columns)
    #expect(lines.count > 29)
    for line in lines.dropFirst(2) {
      try #require(line.count == 11, "\(line)")
      let figures = line[1...9].compactMap { Int($0.filter { $0 != "," }) }
      try #require(figures.count == 9, "\(line)")
      #expect(figures[0] > 50 && figures[1] + figures[3] + figures[6] == figures[0], "\(line)")
      #expect(figures[2] == 0 && figures[3] <= 6 && figures[4] == 0 && figures[5] == 0 && figures[8] == 0, "\(line)")
      #expect(figures[7] == Self.unexplained[line[0], default: 0], "\(line)")
    }
    // The logs of two programs have each figure of the wire over HTTP/1.1, and no other log has.
    #expect(lines.dropFirst(2).filter { $0[10] == "yes" }.count == 4)
  }
}
