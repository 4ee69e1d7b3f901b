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
  @Test(arguments: [-86_400, -7, 12, 3_600] as [Int64])
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

  /// Requests without an answer that the client sent again three seconds later. The log has one row, with the time of the first.
  private func tries() -> (wire: [WireMessage], entries: [LogEntry]) {
    var wire = PollSamples.wire(
      (0..<20).flatMap { index -> [(at: Int64, body: Int)] in
        let at = Int64(index) * 10_000
        return [(at, 0), (at + 3_400, 100 + index * 7)]
      })
    let entries = stride(from: 0, to: wire.count, by: 4).flatMap { first in
      PollSamples.log(Array(wire[first..<first + 4])).suffix(2).map { entry in
        var entry = entry
        (entry.row, entry.time) = (first + (entry.kind == .request ? 3 : 4), wire[first].row.firstTime)
        return entry
      }
    }
    wire.removeAll { $0.row.kind == .response && $0.row.exchange % 2 == 1 }
    return (wire, entries)
  }

  @Test func aRowMayHaveTheTimeOfTheFirstTry() {
    let (wire, entries) = tries()
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == entries.map(\.row))
    #expect(verification.rows(with: .timeShifted).isEmpty)
    #expect(verification.rows.filter { $0.total.causes.map(\.kind) == [.sentAgain] }.count == 20)
  }

  /// The row that repeats an answered one is not the try without an answer.
  @Test func aRepeatedRowIsNotAFirstTry() {
    var (wire, entries) = tries()
    for var other in entries {
      (other.row, other.exchange) = (1_000 + other.row, 1_000 + (other.exchange ?? 0))
      entries.append(other)
    }
    entries.sort { ($0.time ?? 0, $0.row) < ($1.time ?? 0, $1.row) }
    wire.sort { $0.row.number < $1.row.number }
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.rows.filter { $0.message != nil && $0.entry != nil }.count == 40)
    #expect(verification.rows(with: .doubled).count == 40 && verification.rows(with: .missedByWire).isEmpty)
  }

  /// The request of a failed exchange is whole on the wire: an error in its figure is no abort's.
  @Test func aWholeRequestIsNotCutShort() {
    var (wire, entries) = tries()
    entries = []
    for message in wire {
      var entry = PollSamples.log([message])[0]
      entry.row = message.row.number
      entry.isAborted = message.row.exchange % 2 == 1
      entries.append(entry)
    }
    for (index, octets) in [(0, 17), (4, -12)] {
      entries[index * 3].lineLength? += octets
      entries[index * 3].length? += octets
    }
    wire.sort { $0.row.number < $1.row.number }
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.rows.map(\.unexplained).filter { $0 != 0 } == [17, -12])
    #expect(verification.rows(with: .aborted).isEmpty)
  }
}
