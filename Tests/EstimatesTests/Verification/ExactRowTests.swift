import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// Rows that have exactly the figures of messages, among rows that have not, and figures that say nothing.
@Suite struct ExactRowTests {
  /// More rows of one target than are assigned in any order, in whole seconds, and in no order within them.
  @Test func manyRowsOfASecondHaveTheirMessages() {
    let wire = PollSamples.wire((0..<1_100).map { (at: Int64($0) * 5, body: 100 + $0 * 7) })
    var random = SeededRandom(seed: 3)
    let entries = PollSamples.log(wire).map { entry in
      var entry = entry
      entry.time = entry.time.map { $0 / 1_000_000_000 * 1_000_000_000 }
      return entry
    }
    let order = (0..<1_100).shuffled(using: &random)
    let shuffled = order.flatMap { [entries[2 * $0], entries[2 * $0 + 1]] }
    let numbers: [Int?] = order.flatMap { [2 * $0 + 1, 2 * $0 + 2] }
    let verification = PollSamples.verify(shuffled, wire)
    #expect(verification.numbers == numbers)
    #expect(VerificationSummary(verification).unexplained == 0)
  }

  /// Three rows in four have figures of no message, and a time one second later: the others tell the clock.
  @Test func rowsWithoutAMessageDoNotTellTheClock() {
    let wire = PollSamples.polls(12, every: 400)
    let own = PollSamples.log(wire)
    var others: [LogEntry] = []
    for copy in 0..<36 {
      for index in [copy % 12 * 2, copy % 12 * 2 + 1] {
        var entry = own[index]
        entry.row = 100 + copy
        entry.exchange = 100 + copy
        entry.time = entry.time.map { $0 + 1_000_000_000 }
        (entry.lineLength, entry.headerLength, entry.bodyLength) = (nil, nil, nil)
        entry.length = 9_250
        others.append(entry)
      }
    }
    let verification = PollSamples.verify(own + others, wire)
    #expect(verification.clock?.offset == 0)
    #expect(Array(verification.numbers.prefix(24)) == Array(1...24))
  }

  /// The only row of a host has figures of nothing: no message at another host is its own.
  @Test func anotherHostNeedsExactFigures() {
    let wire =
      PollSamples.polls(6, every: 400)
      + PollSamples.wire([(1_100, 500)], host: "b.example").map { message in
        var message = message
        message.row.number += 12
        message.row.exchange += 6
        return message
      }
    var entries = PollSamples.log(wire)
    for index in 0..<12 { entries[index].bodyLength = 9_000 + index * 7 }
    entries[12].host = "a.example"
    entries[13].host = "a.example"
    entries[13].bodyLength = 333
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.rows(with: .otherHost).isEmpty)
  }

  /// A redirection whose target the log lacks, too, was sent by something that the log does not cover.
  @Test(arguments: [true, false]) func aRedirectionCountsOnceWhereItsTargetDoes(_ isKnown: Bool) {
    let wire = WireSamples.messages([
      ("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
      (
        "GET /from HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n"
      ),
      ("GET /to HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ])
    let entries = wire.enumerated().filter { $0.offset < 2 || isKnown && $0.offset > 3 }.map { index, message in
      var entry = LogEntry(
        row: index + 1, kind: message.row.kind, host: message.host, path: message.path, time: message.row.lastTime)
      entry.length = message.row.octets.total
      return entry
    }
    let causes = PollSamples.verify(entries, wire).rows.filter { $0.entry == nil }.map { $0.total.causes.map(\.kind) }
    #expect(causes == Array(repeating: [isKnown ? .redirect : .missedByApp], count: isKnown ? 2 : 4))
  }

  /// A few rows whose figures are all 0 say nothing of what is counted.
  @Test func aFewZerosConvictNothing() {
    let wire = PollSamples.polls(3, every: 400)
    let entries = PollSamples.log(wire).map { entry in
      var entry = entry
      (entry.length, entry.lineLength, entry.headerLength, entry.bodyLength) = (nil, nil, 0, 0)
      return entry
    }
    let causes = Set(VerificationSummary(PollSamples.verify(entries, wire)).causes.map(\.cause.kind))
    #expect(causes.isDisjoint(with: [.headerNotCounted, .bodyNotCounted]), "\(causes)")
  }

  /// Figures of parts have causes also where the whole is unknown. A log without figures has nothing to compare.
  @Test func partsHaveTheirCauses() {
    let wire = PollSamples.polls(12, every: 400).map { message in
      var message = message
      if message.row.kind == .response { message.row.octets.framing = 17 }
      return message
    }
    var log = AppLog(dialect: .monitor, entries: PollSamples.log(wire))
    for index in log.entries.indices {
      (log.entries[index].length, log.entries[index].lineLength, log.entries[index].headerLength) = (nil, nil, nil)
      if log.entries[index].kind == .response { log.entries[index].bodyLength? += 17 }
    }
    log.columns = [.headerLength, .bodyLength]
    let summary = VerificationSummary(Verification(log, wire))
    #expect(summary.rowsWithoutFigures == 24 && summary.hasFigures)
    #expect(summary.causes.map(\.cause) == [Cause(.chunkFraming, 17 * 12)])
    for index in log.entries.indices { log.entries[index].bodyLength = nil }
    #expect(!VerificationSummary(Verification(log, wire)).hasFigures)
  }
}
