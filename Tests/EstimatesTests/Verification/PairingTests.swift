import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// Which row is which message where several could be.
@Suite struct PairingTests {
  private func wire(_ exchanges: [(at: Int64, body: Int)]) -> [WireMessage] { PollSamples.wire(exchanges) }
  private func log(_ wire: [WireMessage]) -> [LogEntry] { PollSamples.log(wire) }
  private func verify(_ entries: [LogEntry], _ wire: [WireMessage]) -> Verification {
    Verification(AppLog(dialect: .monitor, entries: entries), wire)
  }

  private func numbers(_ verification: Verification) -> [Int?] {
    verification.rows.filter { $0.entry != nil }.map { $0.message?.row.number }
  }

  private let polls: [(at: Int64, body: Int)] = (0..<12).map { (Int64($0) * 400, 100 + $0 * 7) }

  @Test func parallelRowsInAnyOrderFindTheirOwn() {
    let wire = wire((0..<8).map { (Int64($0), 100 + $0 * 31) })
    var random = SeededRandom(seed: 3)
    for _ in 0..<20 {
      var entries = log(wire)
      // Noted within some milliseconds, in another order than sent.
      for pair in stride(from: 0, to: entries.count, by: 2) {
        let late = Int64.random(in: 0...9_000_000, using: &random)
        for index in [pair, pair + 1] { entries[index].time = (entries[index].time ?? 0) + late }
      }
      #expect(numbers(verify(entries, wire)) == (1...16).map { $0 })
    }
  }

  @Test func aRowThatIsMissingMovesNoOther() {
    let wire = wire(polls)
    for missing in 0..<12 {
      var entries = log(wire)
      entries.removeSubrange(missing * 2..<missing * 2 + 2)
      let expected = (1...24).filter { ($0 - 1) / 2 != missing }
      #expect(numbers(verify(entries, wire)) == expected)
    }
  }

  @Test func anErrorIsTheRowsOwn() {
    let wire = wire(polls)
    var entries = log(wire)
    entries[7].bodyLength = 5_000
    entries[7].length = 5_050
    let verification = verify(entries, wire)
    #expect(numbers(verification) == (1...24).map { $0 })
    let wrong = verification.rows.filter { $0.unexplained != 0 }
    #expect(wrong.count == 1 && wrong.first?.unexplained == 5_000 - (100 + 3 * 7))
  }

  /// Most bodies are not counted. Of two messages at one time the row of no octets has the one without a body.
  @Test func aFigureThatFitsAnythingIsTheMessagesThatHasIt() {
    let wire = wire(polls + [(10_000, 0), (10_001, 400)])
    var entries = log(wire)
    entries[27].bodyLength = 131
    entries[27].length = 181
    for index in [1, 3, 5] { (entries[index].bodyLength, entries[index].length) = (0, 50) }
    let verification = verify(entries, wire)
    let row = verification.rows[25]
    #expect(row.message?.row.number == 26 || row.isAmbiguous)
    #expect(!row.total.causes.contains { $0.kind == .bodyNotCounted })
  }

  @Test func aRowThatIsThereTwiceIsNamed() {
    let wire = wire(polls)
    var entries = log(wire)
    for var twin in entries[6..<8] {
      (twin.row, twin.exchange) = (100, 100)
      entries.append(twin)
    }
    let verification = verify(entries, wire)
    #expect(numbers(verification) == (1...24).map { $0 } + [nil, nil])
    #expect(verification.rows.filter { $0.total.causes.map(\.kind) == [.doubled] }.count == 2)
  }

  /// A row that is like another one but for its time may be a try that failed before anything was sent.
  @Test func aRowLikeAnotherAtAnotherTimeIsNotThereTwice() {
    let wire = wire(polls)
    var entries = log(wire)
    for var other in entries.suffix(2) {
      (other.row, other.exchange) = (100 + other.row, 100 + (other.exchange ?? 0))
      other.time = (other.time ?? 0) + 30_000_000
      entries.append(other)
    }
    let verification = verify(entries, wire)
    #expect(numbers(verification) == (1...24).map { $0 } + [nil, nil])
    #expect(verification.rows(with: .doubled).isEmpty && verification.rows(with: .missedByWire).count == 2)
  }

  /// A try that failed is sent again at once, with no answer before.
  @Test func aTryBeforeItsRetryIsNotThereTwice() {
    let wire = wire(polls)
    var entries = log(wire)
    for index in entries.indices { entries[index].exchange = nil }
    var first = entries[10]
    (first.row, first.time) = (100, (first.time ?? 0) - 300_000)
    entries.insert(first, at: 10)
    let verification = verify(entries, wire)
    #expect(verification.rows(with: .doubled).isEmpty && verification.rows(with: .missedByWire).count == 1)
  }

  /// A row of nothing is written when a message begins, and one with its octets when it is over.
  @Test func aRowOfNothingTakesNoMessage() {
    let wire = wire(polls)
    let entries = log(wire).flatMap { entry in
      var (first, last) = (entry, entry)
      (first.exchange, last.exchange, first.row, last.row) = (nil, nil, 2 * entry.row - 1, 2 * entry.row)
      (first.length, first.lineLength, first.headerLength, first.bodyLength) = (0, 0, 0, 0)
      last.time = (last.time ?? 0) + 3_000_000
      return [first, last]
    }
    #expect(numbers(verify(entries, wire)) == (1...24).flatMap { [nil, $0] })
  }

  /// A row without a status has an answer where it has the answer's octets.
  @Test func aRowWithoutAStatusIsAsCertainAsTheOther() {
    let wire = wire(polls + [(10_000, 200), (10_001, 200)])
    var entries = log(wire)
    for index in [26, 27] { entries[index].status = 0 }
    let rows = verify(entries, wire).rows[24..<28]
    #expect(rows.allSatisfy { $0.isAmbiguous == rows[24].isAmbiguous })
  }

  /// Where all rows are there once more, a second part of the app writes them, however late.
  @Test(arguments: [500_000, 3_000_000, 30_000_000] as [Int64]) func allRowsAreThereTwice(_ late: Int64) {
    let wire = wire(polls)
    let first = log(wire)
    let second = first.map { entry in
      var other = entry
      (other.row, other.exchange) = (100 + other.row, 100 + (other.exchange ?? 0))
      other.time = (other.time ?? 0) + late
      return other
    }
    let verification = verify(first + second, wire)
    #expect(verification.rows(with: .doubled).count == first.count && verification.rows(with: .missedByWire).isEmpty)
  }

  /// Many messages are sent within the time of the second logger.
  @Test func allRowsAreThereTwiceAmongMany() {
    let wire = PollSamples.polls(200, every: 3)
    let first = log(wire)
    let second = first.map { entry in
      var other = entry
      (other.row, other.exchange) = (1_000 + other.row, 1_000 + (other.exchange ?? 0))
      other.time = (other.time ?? 0) + 200_000_000
      return other
    }
    let verification = verify((first + second).sorted { ($0.time ?? 0) < ($1.time ?? 0) }, wire)
    #expect(verification.rows(with: .doubled).count == first.count)
    #expect(verification.rows(with: .missedByWire).isEmpty)
  }

  /// A row with a wrong figure has lost its message to a row that is later, and has its figures by chance.
  @Test func aMessageThatAnEarlierWrongRowMayHaveIsAmbiguous() throws {
    let wire = wire(polls)
    var entries = log(wire)
    for index in entries.indices { entries[index].exchange = nil }
    var other = entries[11]
    (other.row, other.time) = (100, (other.time ?? 0) + 15_000_000)
    (entries[11].bodyLength, entries[11].length) = (9_000, 9_050)
    entries.insert(other, at: 12)
    let verification = verify(entries, wire)
    let row = try #require(verification.rows.first { $0.message?.row.number == 12 })
    #expect(row.status == .ambiguous)
  }

  @Test func aRowUnderAnotherHostIsNamedOnBothSides() {
    let wire = wire(polls)
    var entries = log(wire)
    for index in 8..<10 { entries[index].host = "b.example" }
    let verification = verify(entries, wire)
    #expect(
      verification.rows.filter { $0.total.causes.map(\.kind) == [.otherHost] }.map(\.status) == [
        .appOnly, .appOnly, .wireOnly, .wireOnly,
      ])
    #expect(VerificationSummary(verification).unexplained == 0)
  }

  /// Whether each row with a message has its own one, or may have another one: the rows of `log` have the numbers of the messages.
  private func areNoneWrong(_ verification: Verification, _ count: Int) -> Bool {
    verification.rows.allSatisfy { row in
      guard let entry = row.entry, let message = row.message else { return true }
      return row.isAmbiguous || message.row.number == (entry.row - 1) % count + 1
    }
  }

  /// The log has one host for all. A row of another host may have the message of a row with an error.
  @Test func aMessageOfAnotherHostMayBeTheRows() {
    var wire = wire(polls + [(10_000, 300), (10_001, 300)])
    for index in [4, 5, 10, 11, 26, 27] { wire[index].host = "b.example" }
    var entries = log(wire)
    for index in entries.indices { (entries[index].host, entries[index].exchange) = ("a.example", nil) }
    (entries[25].bodyLength, entries[25].length, entries[25].time) = (900, 950, (entries[25].time ?? 0) + 14_000_000)
    let verification = verify(entries.sorted { ($0.time ?? 0) < ($1.time ?? 0) }, wire)
    #expect(areNoneWrong(verification, 28) && !verification.rows(with: .otherHost).isEmpty)
    #expect(verification.rows.contains { $0.message?.row.number == 26 && $0.isAmbiguous })
  }

  /// A row of either host names the other one, where a message is that has its figures, two seconds away.
  @Test func twoRowsMayHaveEachOthersHost() {
    let polls = (0..<40).map { (Int64($0) * 400, 100 + $0 * 7) }
    var wire = wire(polls + [(20_000, 300), (22_000, 300)])
    for index in [82, 83] { wire[index].host = "b.example" }
    var entries = log(wire)
    for index in entries.indices { entries[index].exchange = nil }
    (entries[81].host, entries[83].host) = ("b.example", "a.example")
    let verification = verify(entries, wire)
    #expect(areNoneWrong(verification, 84) && verification.rows(with: .timeShifted).isEmpty)
  }

  /// Two loggers note each message. One of them has another message's figures for one of them, by an error.
  @Test func aThirdRowOfAMessageMayBeAnothers() {
    let wire = PollSamples.polls(12, every: 20)
    var first = log(wire)
    for index in first.indices { first[index].exchange = nil }
    let second = first.map { entry in
      var other = entry
      (other.row, other.time) = (24 + entry.row, (entry.time ?? 0) + 200_000_000)
      return other
    }
    (first[9].bodyLength, first[9].length) = (first[7].bodyLength, first[7].length)
    let verification = verify((first + second).sorted { ($0.time ?? 0) < ($1.time ?? 0) }, wire)
    #expect(areNoneWrong(verification, 24))
    #expect(verification.rows(with: .doubled).count >= 16)
  }

  @Test(arguments: [3_000, 90_000] as [Int64])
  func aRowAtAnotherTimeIsNamed(_ late: Int64) {
    let wire = wire(polls)
    var entries = log(wire)
    for index in 4..<6 { entries[index].time = (entries[index].time ?? 0) + late * 1_000_000 }
    let verification = verify(entries, wire)
    #expect(numbers(verification) == (1...24).map { $0 })
    #expect(
      verification.rows.filter { $0.total.causes.map(\.kind) == [.timeShifted] }.compactMap(\.entry?.row) == [5, 6])
  }

  /// The clock is set in the middle of a run: rows that are the same but for their times are not there twice.
  @Test func aClockThatIsSetMovesTheRestOfTheLog() {
    let sent = (0..<60).map { index -> (at: Int64, body: Int) in
      let own = index % 4 == 0 ? index * 100 : 0
      return (Int64(index) * 400, 100 + index % 2 * 31 + own)
    }
    let wire = wire(sent)
    var entries = log(wire)
    for index in 60..<120 { entries[index].time = (entries[index].time ?? 0) + 3_600_000_000_000 }
    let verification = verify(entries, wire)
    #expect(numbers(verification) == (1...120).map { $0 })
    #expect(verification.rows.dropFirst(60).allSatisfy { $0.total.causes.map(\.kind) == [.timeShifted] })
  }

  /// Two rows at once, and one message: either row may be its own.
  @Test func aMessageThatAnotherRowMayHaveIsAmbiguous() throws {
    let wire = wire(polls)
    var entries = log(wire).map { entry in
      var entry = entry
      if entry.kind == .response { (entry.bodyLength, entry.length) = (1_000 + entry.row, 1_050 + entry.row) }
      return entry
    }
    for var other in entries[10..<12] {
      (other.row, other.exchange, other.time) = (100 + other.row, 100, (other.time ?? 0) + 1_000_000)
      if other.kind == .response { (other.bodyLength, other.length) = (2_000, 2_050) }
      entries.append(other)
    }
    let verification = verify(entries, wire)
    let doubtful = try #require(verification.rows.first { $0.message?.row.number == 12 })
    #expect(doubtful.status == .ambiguous && doubtful.total.causes.map(\.kind) == [.ambiguous])
    #expect(verification.rows.filter { $0.status == .ambiguous }.count == 2)
  }

  /// One row of two messages at once: either may be it, and what differs is not explained.
  @Test func whatMayBeAnotherMessageIsAmbiguous() throws {
    let wire = wire(polls + [(at: 9_000, body: 500), (at: 9_000, body: 600)])
    var entries = log(wire)
    entries.removeLast(2)
    entries[25].bodyLength = 547
    entries[25].length = 597
    let verification = verify(entries, wire)
    let row = try #require(verification.rows.first { $0.entry?.row == 26 })
    #expect(row.status == .ambiguous && [47, 53].contains(abs(row.unexplained)))
    #expect(row.total.causes.map(\.kind) == [.ambiguous])
  }

  @Test func theQueryDecides() {
    var wire = wire(polls)
    var entries = log(wire)
    for index in wire.indices {
      let page = 11 - index / 2
      if wire[index].row.kind == .request {
        wire[index].startLine = Array("GET /poll?page=\(page) HTTP/1.1".utf8)
      }
      entries[index].query = "page=\(page)"
      // All at the same time: only the query tells.
      entries[index].time = entries[0].time
      entries[index].exchange = 100 - index / 2
    }
    entries.reverse()
    #expect(numbers(verify(entries, wire)) == (1...24).reversed().map { $0 })
  }

  /// Rows that no number joins are joined where each request is followed by its response.
  @Test func rowsInPairsAreOneExchange() {
    let wire = wire((0..<8).map { (Int64($0), 100) })
    var entries = log(wire)
    for index in entries.indices { entries[index].exchange = nil }
    let verification = verify(entries, wire)
    for pair in stride(from: 0, to: 16, by: 2) {
      #expect(verification.rows[pair].message?.row.exchange == verification.rows[pair + 1].message?.row.exchange)
    }
  }

  /// Request, response, request, response: of two exchanges at once, when times are off by more than what is between them.
  @Test func rowsThatAlternateByChanceAreNotJoined() {
    let wire = wire(
      (0..<40).map { index -> (at: Int64, body: Int) in
        let (group, place) = index.quotientAndRemainder(dividingBy: 2)
        return (Int64(group * 400 + place * 32), 100 + index * 31)
      })
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      var entries = log(wire)
      for index in entries.indices {
        entries[index].exchange = nil
        entries[index].time = (entries[index].time ?? 0) + Int64.random(in: 0..<6_000_000, using: &random)
      }
      entries.sort { ($0.time ?? 0) < ($1.time ?? 0) }
      for row in verify(entries, wire).rows where row.status == .matched {
        #expect(row.entry?.row == row.message?.row.number, "seed \(seed)")
      }
    }
  }

  /// A response follows a request of its host and path, but of another method.
  @Test func rowsOfTwoMethodsAreNotJoined() {
    var wire = wire((0..<20).map { index -> (at: Int64, body: Int) in (Int64(index * 200), 100 + index * 31) })
    for index in wire.indices where index / 2 % 2 == 1 { wire[index].method = "POST" }
    var entries = log(wire)
    for index in entries.indices {
      entries[index].exchange = nil
      entries[index].method = wire[index].method
    }
    // GET's request, POST's response, POST's request, GET's response.
    for index in stride(from: 0, to: entries.count, by: 4) {
      (entries[index + 1], entries[index + 3]) = (entries[index + 3], entries[index + 1])
      let times = (index..<index + 4).compactMap { entries[$0].time }.sorted()
      for (offset, time) in times.enumerated() { entries[index + offset].time = time }
    }
    for row in verify(entries, wire).rows where row.entry != nil {
      #expect(row.message == nil || row.entry?.method == row.message?.method)
      #expect(row.message == nil || row.entry?.row == row.message?.row.number || row.status == .ambiguous)
    }
  }

  @Test func charactersAreNotOctets() throws {
    let text = "Zoë und Jürgen \u{1F600}"
    let turn = (
      request: "GET /t HTTP/1.1\r\nHost: a.example\r\n\r\n",
      response: "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    )
    let messages = WireSamples.messages(Array(repeating: turn, count: 6))
    let response = try #require(messages.first { $0.row.kind == .response })
    #expect(response.characters == text.unicodeScalars.count && response.utf16Units == text.utf16.count)
    let entries = messages.map { message in
      var entry = LogEntry(
        row: message.row.number, kind: message.row.kind, host: "a.example", path: "/t", time: message.row.firstTime)
      entry.bodyLength = message.row.kind == .request ? 0 : text.unicodeScalars.count
      return entry
    }
    let verification = verify(entries, messages)
    #expect(verification.rows.allSatisfy { $0.body.unexplained == 0 })
    #expect(verification.rows.filter { $0.body.causes.map(\.kind) == [.charactersForOctets] }.count == 6)
  }

  /// The client waits 200 ms before it sends a request again: its first tries say that they failed.
  @Test func aTryThatFailedIsNoRepetitionOfItsSuccess() {
    let wire = wire(polls)
    var entries = log(wire)
    for (number, index) in stride(from: 0, to: entries.count, by: 2).enumerated() {
      var failed = entries[index]
      (failed.row, failed.exchange, failed.isAborted) = (100 + number, 100 + number, true)
      failed.time = (failed.time ?? 0) - 200_000_000
      entries.append(failed)
    }
    let verification = verify(entries, wire)
    #expect(numbers(verification) == (1...24).map { $0 } + Array(repeating: nil, count: 12))
    #expect(verification.rows(with: .doubled).isEmpty && verification.rows(with: .missedByWire).count == 12)
  }

  /// Each exchange has a row of zeros, too. Two rows with figures have errors in both of them.
  @Test func aRowOfZerosLeavesItsMessageToARowWithAnError() {
    let wire = wire(polls)
    let entries = log(wire).enumerated().flatMap { index, entry in
      var zeros = entry
      (zeros.exchange, zeros.lineLength, zeros.headerLength, zeros.bodyLength, zeros.length) = (
        100 + (entry.exchange ?? 0), 0, 0, 0, 0
      )
      var entry = entry
      if [6, 7, 14, 15].contains(index) {
        (entry.headerLength, entry.length) = (2_030, (entry.length ?? 0) + 2_000)
      }
      return [zeros, entry]
    }
    let verification = verify(entries, wire)
    let owners = verification.rows.filter { $0.entry?.headerLength ?? 0 > 0 }
    #expect(owners.map { $0.message?.row.number } == (1...24).map { $0 })
    #expect(owners.filter { $0.unexplained != 0 }.count == 4)
  }

  /// Two equal exchanges at nearly one time, and one of the rows lacks its answer: each may be the other's.
  @Test func aRowWithoutItsAnswerMayBeItsNeighbours() {
    let wire = wire(polls + [(10_000, 300), (10_001, 300)])
    var entries = log(wire)
    for index in 24..<28 { entries[index].time = (entries[index].time ?? 0) + (index < 26 ? 1_000_000 : 0) }
    entries.remove(at: 25)
    let rows = verify(entries, wire).rows.filter { $0.entry?.row ?? 0 > 24 }
    #expect(rows.count == 3 && rows.allSatisfy(\.isAmbiguous))
  }
}
