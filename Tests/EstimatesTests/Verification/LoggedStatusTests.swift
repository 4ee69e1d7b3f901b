import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// Logs with other statuses than those that were sent.
@Suite struct LoggedStatusTests {
  /// Redirections, each followed by its target.
  private let wire: [WireMessage] = WireSamples.messages(
    (0..<8).flatMap { number -> [(request: String, response: String)] in
      let content = String(repeating: "x", count: 40 + number)
      return [
        (
          "GET /from\(number) HTTP/1.1\r\nHost: a.example\r\n\r\n",
          "HTTP/1.1 302 Found\r\nLocation: /to\(number)\r\nContent-Length: 0\r\n\r\n"
        ),
        (
          "GET /to\(number) HTTP/1.1\r\nHost: a.example\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n\(content)"
        ),
      ]
    })

  /// A row for each message: its octets, and the status 200.
  private var entries: [LogEntry] {
    wire.map { message in
      var entry = LogEntry(
        row: message.row.number, kind: message.row.kind, host: message.host, path: message.path,
        time: message.row.firstTime + 2_000_000)
      entry.exchange = message.row.exchange
      entry.status = message.row.kind == .response ? 200 : 0
      entry.length = message.row.octets.total
      return entry
    }
  }

  @Test func aHopWithARowOfItsOwnIsInNoOther() {
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == wire.map(\.row.number))
    #expect(VerificationSummary(verification).unexplained == 0)
  }

  /// The error makes the answer of a redirection longer, nearer to its target's.
  @Test(arguments: [1, 30, 200]) func anErrorMovesNoHop(_ octets: Int) {
    var entries = entries
    for index in entries.indices where wire[index].path == "/from3" && wire[index].row.kind == .response {
      entries[index].length? += octets
    }
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == wire.map(\.row.number))
    #expect(VerificationSummary(verification).unexplained == octets)
  }

  @Test func aRowForAChainHasItsLastAnswer() {
    let last = wire.filter { $0.path.hasPrefix("/to") && $0.row.kind == .response }
    let entries = entries.filter { $0.path.hasPrefix("/from") }.map { entry in
      var entry = entry
      if entry.kind == .response {
        entry.length = last.first { $0.path.suffix(1) == entry.path.suffix(1) }?.row.octets.total
      }
      return entry
    }
    let verification = PollSamples.verify(entries, wire)
    #expect(
      verification.rows.filter { $0.entry?.kind == .response }.compactMap(\.message?.row.number)
        == last.map(\.row.number))
  }
}
