import HTTPReassembly
import Testing

@testable import Estimates

/// Logs with figures in rows of other messages: the program that wrote them notes another request's, or an API's last ones again.
@Suite struct MisplacedFiguresTests {
  /// Exchanges of their own paths, each with an answer of its own length.
  private func wire(_ count: Int = 40) -> [WireMessage] {
    var wire = PollSamples.polls(count, every: 400)
    for index in wire.indices {
      wire[index].path = "/item/\(index / 2)"
      guard wire[index].row.kind == .request else { continue }
      wire[index].startLine = Array("GET /item/\(index / 2) HTTP/1.1".utf8)
    }
    return wire
  }

  /// The log, with the lengths of its rows made right.
  private func summed(_ entries: [LogEntry]) -> [LogEntry] {
    entries.map { entry in
      var entry = entry
      entry.length = (entry.lineLength ?? 0) + (entry.headerLength ?? 0) + (entry.bodyLength ?? 0)
      return entry
    }
  }

  /// The response has the request's body of 0 octets, and the request has the response's.
  @Test func aZeroOfAnotherMessageIsNoBodyThatWasNotCounted() {
    let wire = wire()
    var entries = PollSamples.log(wire)
    for index in stride(from: 4, to: 80, by: 12) {
      (entries[index].bodyLength, entries[index + 1].bodyLength) = (entries[index + 1].bodyLength, 0)
    }
    let verification = PollSamples.verify(summed(entries), wire)
    #expect(verification.numbers == (1...80).map { $0 })
    #expect(verification.rows(with: .bodyNotCounted).isEmpty)
    #expect(verification.rows.count { $0.unexplained != 0 } == 14)
  }

  @Test func zerosAmongOtherErrorsAreBodiesThatWereNotCounted() {
    let wire = wire()
    var entries = PollSamples.log(wire)
    for index in stride(from: 5, to: 80, by: 12) { entries[index].bodyLength = 0 }
    for index in stride(from: 9, to: 80, by: 20) { entries[index].bodyLength = 5_000 + index }
    #expect(PollSamples.verify(summed(entries), wire).rows(with: .bodyNotCounted).count == 6)
  }

  /// Some rows have header section and body exchanged: a header section of 0 octets is the body's.
  @Test func aZeroOfAnotherColumnIsNoHeaderThatWasNotCounted() {
    let wire = wire()
    var entries = PollSamples.log(wire)
    for index in stride(from: 4, to: 80, by: 12) {
      (entries[index].headerLength, entries[index].bodyLength) = (
        entries[index].bodyLength, entries[index].headerLength
      )
    }
    #expect(PollSamples.verify(entries, wire).rows(with: .headerNotCounted).isEmpty)
  }

  /// Where figures are in wrong rows, the times of two messages tell which is which, and not their figures.
  @Test(arguments: [false, true]) func figuresTellMessagesWhereTheyAreInTheirRows(_ areMisplaced: Bool) {
    let wire =
      wire()
      + PollSamples.wire([(40_000, 500), (40_002, 700)]).map { message in
        var message = message
        message.row.number += 80
        message.row.exchange += 40
        return message
      }
    var entries = PollSamples.log(wire)
    if areMisplaced {
      for index in stride(from: 4, to: 80, by: 12) {
        let body = entries[index + 1].bodyLength
        (entries[index + 1].bodyLength, entries[index + 3].bodyLength) = (entries[index + 3].bodyLength, body)
      }
    }
    (entries[81].bodyLength, entries[83].bodyLength) = (700, 500)
    let verification = PollSamples.verify(summed(entries), wire)
    #expect(verification.numbers.suffix(4) == (areMisplaced ? [81, 82, 83, 84] : [83, 84, 81, 82]))
  }

  /// Where nothing is known of a log's figures, those of a confirmed cache are no cached content.
  @Test func figuresOfTheRowBeforeAreNoCachedContent() {
    var wire = wire()
    for index in stride(from: 11, to: 80, by: 10) {
      for message in index - 1...index {
        wire[message].path = wire[message - 2].path
        wire[message].startLine = wire[message - 2].startLine
      }
      wire[index].row.status = 304
      (wire[index].row.octets.body, wire[index].row.decodedBody) = (0, 0)
      wire[index].startLine = Array("HTTP/1.1 304 Not Modified".utf8)
    }
    var entries = PollSamples.log(wire)
    for index in stride(from: 79, to: 2, by: -2) { entries[index].bodyLength = entries[index - 2].bodyLength }
    #expect(PollSamples.verify(summed(entries), wire).rows(with: .cachedContent).isEmpty)
  }
}
