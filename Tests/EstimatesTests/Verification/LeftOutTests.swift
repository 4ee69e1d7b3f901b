import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// More messages than are kept for a comparison.
@Suite struct LeftOutTests {
  private let messages = WireSamples.messages(
    (0..<10).map { ("GET /\($0) HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") })

  /// A table with room for so many of the messages.
  private func table(limit: Int) -> WireTable {
    var table = WireTable(memoryLimit: messages.prefix(limit).reduce(0) { $0 + $1.memory })
    for message in messages { table.take(message) }
    return table
  }

  private func log(delay: Int64 = 0, hasTimes: Bool = true) -> AppLog {
    AppLog(
      dialect: .monitor,
      entries: messages.enumerated().map { index, message in
        var entry = LogEntry(
          row: index + 1, kind: message.row.kind, host: message.host, path: message.path,
          time: hasTimes ? message.row.firstTime + delay : nil)
        entry.length = message.row.octets.total
        return entry
      })
  }

  @Test func saysHowMuchDidNotFit() throws {
    #expect(table(limit: 20).leftOut == nil)
    let full = table(limit: 6)
    #expect(full.messages.count == 6)
    let leftOut = try #require(full.leftOut)
    #expect(leftOut.count == 14)
    #expect(leftOut.octets == messages[6...].reduce(0) { $0 + $1.row.octets.total })
    #expect(leftOut.firstTime == messages[6].row.firstTime)
  }

  /// A few octets of HTTP/2 name a path of 16 KiB again, or hundreds of fields: each message counts by its texts.
  @Test func longTextsCount() {
    var table = WireTable(memoryLimit: 1 << 20)
    for number in 0..<100 {
      var message = WireMessage(row: messages[0].row)
      message.pathOctets = Array(repeating: 0x61, count: 8 << 10)
      message.fields = Array(repeating: WireField(name: [0x78], value: []), count: number)
      table.take(message)
    }
    #expect((18...42).contains(table.messages.count))
    #expect(table.messages.count + (table.leftOut?.count ?? 0) == 100)
  }

  /// What is not compared is not said to be missing on the wire.
  @Test(arguments: [0, 8 * 3_600_000_000_000 as Int64])
  func rowsOfItAreNamed(_ delay: Int64) throws {
    let table = table(limit: 6)
    var log = log(delay: delay)
    // One from before all of the messages that were left out, which the wire never had.
    log.entries.append(
      LogEntry(
        row: 21, kind: .request, host: "a.example", path: "/never", time: messages[0].row.firstTime + delay - 1))
    log.entries[20].length = 5
    let verification = Verification(log, table.messages, leftOut: table.leftOut, tolerance: 1_000_000)
    let unmatched = verification.rows.filter { $0.status == .appOnly }
    #expect(unmatched.count == 15)
    #expect(unmatched.prefix(14).allSatisfy { $0.total.causes.map(\.kind) == [.leftOut] })
    #expect(unmatched.last?.total.causes.map(\.kind) == [.missedByWire])
    #expect(verification.leftOut == table.leftOut)
    let summary = VerificationSummary(verification)
    let cause = try #require(summary.causes.first { $0.cause.kind == .leftOut })
    #expect(cause.rows == 14 && cause.cause.octets == table.leftOut?.octets)
  }

  /// Without times nothing tells rows of then from others.
  @Test func rowsWithoutTimeMayAllBeOfIt() {
    let table = table(limit: 6)
    let verification = Verification(log(hasTimes: false), table.messages, leftOut: table.leftOut)
    let kinds = verification.rows.filter { $0.status == .appOnly }.map { $0.total.causes.map(\.kind) }
    #expect(kinds == Array(repeating: [.leftOut], count: 14))
    let whole = Verification(log(hasTimes: false), table.messages)
    #expect(whole.rows.filter { $0.status == .appOnly }.allSatisfy { $0.total.causes.map(\.kind) == [.missedByWire] })
  }
}
