import HTTPReassembly
import Testing

@testable import Estimates

/// Columns of a log that have each other's figures.
@Suite struct ExchangedColumnsTests {
  private let wire: [WireMessage] = {
    var wire = PollSamples.polls(20, every: 400)
    for index in wire.indices where wire[index].row.kind == .request { wire[index].row.octets.header = 90 + index }
    return wire
  }()

  private func log(_ change: (inout LogEntry, inout LogEntry) -> Void) -> [LogEntry] {
    var entries = PollSamples.log(wire)
    for index in entries.indices {
      entries[index].headerLength = wire[index].row.octets.header
      entries[index].length = nil
    }
    for index in stride(from: 0, to: entries.count, by: 2) {
      var (request, response) = (entries[index], entries[index + 1])
      change(&request, &response)
      (entries[index], entries[index + 1]) = (request, response)
    }
    return entries
  }

  private func named(_ entries: [LogEntry]) -> String? {
    let verification = PollSamples.verify(entries, wire)
    guard verification.rows.allSatisfy({ $0.unexplained == 0 }) else { return "unexplained" }
    let causes = Set(verification.rows.flatMap(\.total.causes).map(\.name))
    return causes.count > 1 ? "several" : causes.first
  }

  @Test func columnsInTheirPlacesAreNotExchanged() { #expect(named(log { _, _ in }) == nil) }

  @Test func twoColumnsAreFound() {
    let entries = log { request, response in
      swap(&request.headerLength, &request.bodyLength)
      swap(&response.headerLength, &response.bodyLength)
    }
    #expect(named(entries) == "columns exchanged (header and body)")
  }

  @Test(arguments: [true, false]) func threeColumnsAreFound(_ isBack: Bool) {
    func turn(_ entry: inout LogEntry) {
      let (line, header, body) = (entry.lineLength, entry.headerLength, entry.bodyLength)
      (entry.lineLength, entry.headerLength, entry.bodyLength) = isBack ? (body, line, header) : (header, body, line)
    }
    let entries = log { request, response in
      turn(&request)
      turn(&response)
    }
    #expect(named(entries) == "columns exchanged (start-line, header and body)")
  }

  @Test func columnsOfTheTwoDirectionsAreFound() {
    let all = log { request, response in
      swap(&request.lineLength, &response.lineLength)
      swap(&request.headerLength, &response.headerLength)
      swap(&request.bodyLength, &response.bodyLength)
    }
    #expect(named(all) == "columns exchanged (request and response)")
    let headers = log { swap(&$0.headerLength, &$1.headerLength) }
    #expect(named(headers) == "columns exchanged (headers of request and response)")
    let bodies = log { swap(&$0.bodyLength, &$1.bodyLength) }
    #expect(named(bodies) == "columns exchanged (bodies of request and response)")
  }
}
