import Foundation
import TestSupport
import Testing

/// `sniffer verify` on logs of invented meters, which count in ways that nobody told it of (`captures/record/check-meters`).
@Suite(.timeLimit(.minutes(10))) struct VerifyMetersTests {
  /// A fourth of the meters over HTTP/1.1, and another fourth over HTTP/2 in TLS. `make meters` has all.
  @Test(.enabled(if: Environment.tool("python3") != nil, "needs python3"))
  func nothingIsSaidOfMetersThatIsNotSo() throws {
    let script = Corpus.folder.appendingPathComponent("record/check-meters")
    let outcome = try Command.run(script, [Sniffer.url.path, "--few"])
    print(outcome.output)
    #expect(outcome.status == 0, "\(outcome.error)")
    let rows = outcome.output.split(separator: "\n").dropFirst(2).map {
      $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows.count > 20)
    for row in rows {
      // Name, rows, right, wrong, ambiguous, unpaired, invented, misnamed, errors, exact.
      try #require(row.count == 10, "\(row)")
      #expect([3, 6, 7, 8].allSatisfy { row[$0] == "0" }, "\(row)")
      let figures = row.dropFirst().prefix(4).compactMap { Int($0.replacingOccurrences(of: ",", with: "")) }
      // Most rows are found, and not called ambiguous, but where rows tell no time, are no messages, or are there twice.
      let others = ["no order", "hosts", "loggers", "others twice", "again", "not captured", "at the end"]
      if !others.contains(where: { row[0].contains($0) }) {
        #expect(figures[1] * 10 >= figures[0] * 9, "\(row)")
      }
    }
    #expect(rows.contains { $0[0] == "exact, parts" && $0[9] == "yes" })
  }

  /// Meters whose rows could be paired wrongly: times without an order, and errors that give a row another message's figure. Their messages
  /// are told, or said to be ambiguous.
  @Test(
    .enabled(if: Environment.tool("python3") != nil, "needs python3"),
    arguments: [
      ("times of polls, in no order", "4000"), ("whole seconds, in no order", "0"),
      ("whole seconds, in no order", "1000"), ("half seconds, in no order", "2000"), ("others twice", "0"),
      ("others twice", "3000"), ("redirections logged as 200", "2000"), ("numbers of APIs", "0"), ("two devices", "0"),
      ("one name for all hosts", "0"), ("tries in vain", "0"), ("200 ms apart", "12345"), ("of neighbours", "12345"),
      ("last figures", "5000"), ("0 in place", "0"), ("at the begin", "0"), ("last response", "0"),
      ("one status", "6000"), ("unknown header", "0"), ("200 ms before", "0"), ("0 octets again", "0"), ("masked", "0"),
      ("one answer", "0"), ("not set", "0"),
    ])
  func noRowHasAnothersMessage(_ meter: String, _ seed: String) throws {
    let script = Corpus.folder.appendingPathComponent("record/check-meters")
    let outcome = try Command.run(script, [Sniffer.url.path, "--meter", meter, "--seed", seed])
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.output.contains("\(meter)"))
  }

  /// Meters that look like others: short figures in a form like scaled ones, rounded ones like none. They are named as they are, or not at all.
  @Test(
    .enabled(if: Environment.tool("python3") != nil, "needs python3"),
    arguments: [
      ("S + 5n + 2", "0"), ("S + 2n + 7", "0"), ("MiB", "0"), ("parts in kB", "0"), ("a constant", "0"),
      ("40 octets", "9000"), ("lines with LF and", "0"), ("S + 4n + 7, decoded", "0"), ("S + 6n in", "0"),
      ("header in kB", "0"),
      ("S + n in KiB", "0"), ("pseudo-header", "0"), ("number of fields", "0"), ("lines with LF, one", "0"),
    ])
  func noWayToCountIsNamedForAnother(_ meter: String, _ seed: String) throws {
    try noRowHasAnothersMessage(meter, seed)
  }
}
