import HTTPReassembly
import Testing

@testable import Estimates

/// Rows whose times are another clock's, or another row's.
@Suite struct OtherClocksTests {
  private let second: Int64 = 1_000_000_000

  /// Polls in bursts of two equal ones, 3 ms apart.
  private let wire = PollSamples.wire(
    (0..<60).map { index -> (at: Int64, body: Int) in
      let burst = index / 2
      return (Int64(burst * 400 + index % 2 * 3), 100 + burst * 31)
    })

  /// The clock is set forward or back. Equal messages have their own rows, and none takes another's as if that were sure.
  @Test(arguments: [-86_400, 12, 3_600] as [Int64])
  func rowsOfAClockThatWasSetAreAssignedTogether(_ seconds: Int64) {
    var entries = PollSamples.log(wire)
    for index in 60..<120 { entries[index].time = (entries[index].time ?? 0) + seconds * second }
    let verification = PollSamples.verify(entries, wire)
    for row in verification.rows {
      #expect(row.entry?.row == row.message?.row.number || row.isAmbiguous, "\(row.entry?.row ?? 0)")
    }
    #expect(verification.rows(with: .timeShifted) == Array(61...120))
    #expect(verification.rows(with: .doubled).isEmpty)
  }

  /// A random error in a row does not take its message from it: its neighbours tell its clock.
  @Test func anErrorAtAnotherClockIsTheRowsOwn() {
    let wire = PollSamples.polls(60, every: 400)
    var entries = PollSamples.log(wire)
    for index in 60..<120 { entries[index].time = (entries[index].time ?? 0) + 3_600 * second }
    entries[91].bodyLength = 5_000
    entries[91].length = 5_050
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == (1...120).map { $0 })
    #expect(verification.rows.filter { $0.unexplained != 0 }.compactMap(\.entry?.row) == [92])
  }

  /// Two parts of an app log everything, the second 12 ms later. A message's row is one of the two, or that is doubtful.
  @Test func rowsOfTwoLoggersShowHowExactTimesAre() {
    var entries = PollSamples.log(wire)
    for var other in entries {
      (other.row, other.exchange) = (1_000 + other.row, 1_000 + (other.exchange ?? 0))
      other.time = (other.time ?? 0) + 12_000_000
      entries.append(other)
    }
    entries.sort { ($0.time ?? 0) < ($1.time ?? 0) }
    for row in PollSamples.verify(entries, wire).rows where row.message != nil {
      #expect((row.entry?.row ?? 0) % 1_000 == row.message?.row.number || row.isAmbiguous)
    }
  }

  /// The row of one poll is there again instead of an equal one's. It may be that one, and its time says nothing.
  @Test func aRepeatedRowMayBeAFreeMessage() throws {
    let wire = PollSamples.wire(
      (0..<24).map { index -> (at: Int64, body: Int) in
        (Int64(index * 2_000), 100 + (index == 20 ? 3 : index) * 7)
      })
    var entries = PollSamples.log(wire)
    for index in [40, 41] {
      let number = entries[index].exchange
      entries[index] = entries[index - 34]
      (entries[index].row, entries[index].exchange) = (index + 1, number)
    }
    let verification = PollSamples.verify(entries, wire)
    let rows = verification.rows.filter { [41, 42].contains($0.entry?.row) }
    #expect(rows.allSatisfy { $0.isAmbiguous && $0.message?.row.exchange == 21 && $0.total.causes.isEmpty })
    #expect(verification.rows(with: .doubled).isEmpty && verification.rows(with: .missedByApp).isEmpty)
  }

  /// Two rows that are the same to the letter, and messages with other figures: an error may be in either.
  @Test func rowsThatSayTheSameAreOpen() {
    let wire = PollSamples.polls(24, every: 20)
    var entries = PollSamples.log(wire)
    for index in entries.indices { entries[index].time = 1_700_000_000 * second }
    (entries[5].bodyLength, entries[5].length) = (entries[9].bodyLength, entries[9].length)
    let verification = PollSamples.verify(entries, wire)
    for row in verification.rows where [6, 10].contains(row.entry?.row) {
      #expect(
        row.isAmbiguous && (row.message?.row.number == row.entry?.row || row.total.causes.map(\.kind) == [.ambiguous]))
    }
  }

  // MARK: Tries

  /// Exchanges, ten seconds apart. The first request of every fifth has no answer, and the client sends it again 3.4 s later.
  private let tries: [WireMessage] = {
    let wire = PollSamples.wire(
      (0..<20).flatMap { index -> [(at: Int64, body: Int)] in
        let (at, body) = (Int64(index) * 10_000, 100 + index * 7)
        return index % 5 == 0 ? [(at, 0), (at + 3_400, body)] : [(at, body)]
      })
    let first = Set(
      zip(wire, wire.dropFirst(2)).filter { $1.row.firstTime - $0.row.firstTime == 3_400_000_000 }.map(\.0.row.exchange)
    )
    return wire.filter { !first.contains($0.row.exchange) || $0.row.kind == .request }
  }()

  /// The exchanges without an answer.
  private var unanswered: Set<Int> {
    let answered = Set(tries.filter { $0.row.kind == .response }.map(\.row.exchange))
    return Set(tries.map(\.row.exchange)).subtracting(answered)
  }

  /// A row for each answered message. A request that was sent again has the time of the first try, and so has its response.
  private func logOfTries() -> [LogEntry] {
    let first = unanswered
    let starts = Dictionary(
      uniqueKeysWithValues: tries.filter { first.contains($0.row.exchange) }.map {
        ($0.row.exchange + 1, $0.row.firstTime)
      })
    return tries.filter { !first.contains($0.row.exchange) }.map { message in
      var entry = PollSamples.log([message])[0]
      entry.row = message.row.number
      if let start = starts[message.row.exchange] { entry.time = start + 2_000_000 }
      return entry
    }
  }

  @Test func aRowMayHaveTheTimeOfTheFirstTry() {
    let entries = logOfTries()
    let verification = PollSamples.verify(entries, tries)
    #expect(unanswered.count == 4 && verification.numbers == entries.map(\.row))
    #expect(verification.rows(with: .timeShifted).isEmpty)
    #expect(verification.rows.filter { $0.total.causes.map(\.kind) == [.sentAgain] }.count == 4)
  }

  /// The row that repeats an answered one is not the try without an answer.
  @Test func aRepeatedRowIsNotAFirstTry() {
    var entries = logOfTries()
    for var other in entries {
      (other.row, other.exchange) = (1_000 + other.row, 1_000 + (other.exchange ?? 0))
      entries.append(other)
    }
    let verification = PollSamples.verify(entries, tries)
    #expect(verification.rows.filter { $0.message != nil && $0.entry != nil }.count == 40)
    #expect(verification.rows(with: .doubled).count == 40 && verification.rows(with: .missedByWire).isEmpty)
  }

  /// The request of a failed exchange is whole on the wire: an error in its figure is no abort's.
  @Test func aWholeRequestIsNotCutShort() {
    let first = unanswered.sorted()
    let entries = tries.map { message in
      var entry = PollSamples.log([message])[0]
      entry.row = message.row.number
      entry.isAborted = first.contains(message.row.exchange)
      (entry.lineLength, entry.headerLength, entry.bodyLength) = (nil, nil, nil)
      if message.row.exchange == first[0] { entry.length? += 17 }
      if message.row.exchange == first[1] { entry.length? -= 12 }
      return entry
    }
    let verification = PollSamples.verify(entries, tries)
    // The samples have no text of fields, so that more than the error is unexplained.
    let wrong = verification.rows.filter { $0.unexplained != 0 }
    #expect(wrong.compactMap(\.entry?.exchange) == [first[0], first[1]])
    #expect(verification.rows(with: .aborted).isEmpty)
  }

  /// Every fourth exchange has one time of long ago: it tells nothing, and equal messages may be each other's.
  @Test func aTimeThatStandsStillIsNoClock() {
    var entries = PollSamples.log(wire)
    for index in entries.indices where index / 2 % 4 == 1 { entries[index].time = 1_577_836_800 * second }
    for row in PollSamples.verify(entries, wire).rows where row.message != nil {
      #expect(row.entry?.row == row.message?.row.number || row.isAmbiguous, "\(row.entry?.row ?? 0)")
    }
  }
}
