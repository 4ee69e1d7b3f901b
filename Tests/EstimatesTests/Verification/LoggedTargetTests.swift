import HTTPReassembly
import Testing

@testable import Estimates

/// Logs whose targets lack something that was sent: the query, or the numbers in a path.
@Suite struct LoggedTargetTests {
  /// The messages of twelve exchanges, each with the target that `target` gives for its number.
  private func wire(_ target: (Int) -> (path: String, query: String)) -> [WireMessage] {
    var wire = PollSamples.polls(12, every: 400)
    for index in wire.indices {
      let (path, query) = target(index / 2)
      wire[index].path = path
      guard wire[index].row.kind == .request else { continue }
      wire[index].startLine = Array("GET \(path)\(query.isEmpty ? "" : "?")\(query) HTTP/1.1".utf8)
    }
    return wire
  }

  /// The log has whole URLs, and none has a query: the monitor leaves queries out.
  @Test func aLogWithoutAnyQuerySaysNothingOfThem() {
    let wire = wire { ("/poll", "page=\($0)") }
    var entries = PollSamples.log(wire)
    for index in entries.indices { entries[index].query = "" }
    #expect(PollSamples.verify(entries, wire).numbers == (1...24).map { $0 })
  }

  /// Each path is also there without a query: half of the rows need messages with one.
  @Test func queriesMayBeMissingWhereOthersHaveNone() {
    let wire = wire { ("/poll", $0 % 2 == 0 ? "" : "page=\($0)") }
    var entries = PollSamples.log(wire)
    for index in entries.indices { entries[index].query = "" }
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == (1...24).map { $0 } && !verification.rows.contains(where: \.isAmbiguous))
  }

  /// The log has the hashes of queries, or has them sorted: the wire has none of them.
  @Test(arguments: ["5f1d", "b=2&a=", "page=", "%252F"]) func aChangedQueryIsUnknown(_ query: String) {
    let wire = wire { ("/poll", "a=\($0)&b=2") }
    var entries = PollSamples.log(wire)
    for index in entries.indices { entries[index].query = "\(query)\(index / 2)" }
    #expect(PollSamples.verify(entries, wire).numbers == (1...24).map { $0 })
  }

  /// The log has queries. A row without one may be about a message with one, if it has exactly its figures and its time.
  @Test func aRowWithoutAQueryIsNoSureMessageWithOne() {
    let wire = wire { ("/poll", "page=\($0)") }
    var entries = PollSamples.log(wire)
    for index in entries.indices { entries[index].query = index < 4 ? "" : "page=\(index / 2)" }
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == (1...24).map { $0 })
    #expect(verification.rows.map(\.isAmbiguous) == (0..<24).map { $0 < 4 })
    for index in 0..<4 { entries[index].bodyLength = (entries[index].bodyLength ?? 0) + 1 }
    #expect(PollSamples.verify(entries, wire).numbers == [nil, nil, nil, nil] + (5...24).map { $0 })
  }

  /// One row of a log without queries has a path that the wire has with a query alone: nothing tells that the log drops any.
  @Test func aSingleRowShowsNoDroppedQueries() {
    let wire = wire { ($0 == 3 ? "/other" : "/poll", $0 == 3 ? "page=1" : "") }
    var entries = PollSamples.log(wire)
    for index in entries.indices {
      entries[index].query = ""
      (entries[index].length, entries[index].lineLength, entries[index].headerLength) = (nil, nil, nil)
    }
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == (1...24).map { $0 })
    #expect(verification.rows.map(\.isAmbiguous) == (1...24).map { (7...8).contains($0) })
    entries[7].bodyLength = 5
    #expect(PollSamples.verify(entries, wire).numbers == (1...24).map { (7...8).contains($0) ? nil : $0 })
  }

  @Test(arguments: ["/items/{id}/parts", "/items/:id/parts", "/items/*/parts", "/items/<int:id>/parts"])
  func aTemplateStandsForPaths(_ template: String) {
    let wire = wire { ("/items/\(100 + $0)/parts", "") }
    var entries = PollSamples.log(wire)
    for index in entries.indices { entries[index].path = template }
    #expect(PollSamples.verify(entries, wire).numbers == (1...24).map { $0 })
  }

  /// A monitor writes one number in place of all. It is also one that was sent.
  @Test func oneNumberStandsForAll() {
    let wire = wire { ("/items/\($0)/parts", "") }
    var entries = PollSamples.log(wire)
    for index in entries.indices { entries[index].path = "/items/0/parts" }
    #expect(PollSamples.verify(entries, wire).numbers == (1...24).map { $0 })
  }

  /// The log has one item's messages, and others were sent by something else.
  @Test func aNumberThatWasSentStandsForItself() {
    let wire = wire { ("/items/\($0 / 6)", "") }
    let entries = Array(PollSamples.log(wire).prefix(12))
    #expect(PollSamples.verify(entries, wire).numbers == (1...12).map { $0 })
    let others = entries.map { entry in
      var other = entry
      other.time = (other.time ?? 0) + 2_400_000_000
      return other
    }
    #expect(PollSamples.verify(others, wire).numbers.allSatisfy { $0.map { $0 <= 12 } ?? true })
  }

  /// A path that was sent as it is logged is no template, and a template stands for no path of another shape.
  @Test func aPathThatIsThereStandsForItself() {
    let wire = wire { (["/items/{id}", "/items/7", "/items/7/parts"][$0 % 3], "") }
    var entries = PollSamples.log(wire)
    #expect(PollSamples.verify(entries, wire).numbers == (1...24).map { $0 })
    for index in entries.indices where index / 2 % 3 != 0 { entries[index].path = "/items/:id" }
    let numbers = PollSamples.verify(entries, wire).numbers
    #expect(numbers.indices.allSatisfy { numbers[$0] == ($0 / 2 % 3 == 2 ? nil : $0 + 1) })
  }

  /// A placeholder stands for a value that the log must not have. Another value that the wire lacks is another message's, unless the
  /// row has the figures and the time of one: then it is ambiguous.
  @Test(arguments: [
    "***", "%2A%2A", "REDACTED", "[Filtered]", "%3Credacted%3E", "xxxxx", "", "x", "7*", "[1,2]", "{\"hidden\":1}",
    "filtered",
  ])
  func aPlaceholderStandsForAnyValue(_ value: String) {
    let wire = wire { ("/poll", "token=secret\($0)&v=1") }
    var entries = PollSamples.log(wire)
    for index in entries.indices {
      entries[index].query = index < 16 ? "token=secret\(index / 2)&v=1" : "token=\(value)&v=1"
    }
    let isMasked = value.count > 1 && !["7*", "[1,2]", "{\"hidden\":1}", "filtered"].contains(value)
    let verification = PollSamples.verify(entries, wire)
    #expect(verification.numbers == (1...24).map { $0 })
    if !isMasked { #expect(verification.rows.map(\.isAmbiguous) == (0..<24).map { $0 >= 16 }) }
  }
}
