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
    let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let columns = ["rows", "right", "wrong", "ambiguous", "split", "unpaired", "absent", "unexpl."]
    #expect(try #require(lines.first) == ["log"] + columns)
    #expect(lines.count > 28)
    for line in lines.dropFirst() {
      try #require(line.count == 9, "\(line)")
      let figures = line.dropFirst().compactMap { Int($0.filter { $0 != "," }) }
      try #require(figures.count == 8, "\(line)")
      #expect(figures[0] > 50 && figures[1] + figures[3] + figures[6] == figures[0], "\(line)")
      #expect(figures[2] == 0 && figures[3] <= 6 && figures[4] == 0 && figures[5] == 0, "\(line)")
      #expect(figures[7] == Self.unexplained[line[0], default: 0], "\(line)")
    }
  }
}
