import HTTPReassembly
import TestSupport
import Testing

/// What comes later than it should: findings of fuzzing and of mutants of which no input is kept.
@Suite struct LateCaptureTests {
  /// A response of 100 octets of content whose middle segment is not captured, and that segment.
  private func holeInBody(acknowledging: Bool) -> (dialogue: Dialogue, lost: Segment) {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<(octets.count - 80)]))
    dialogue.send(.server, Array(octets[(octets.count - 80)..<(octets.count - 40)]))
    let lost = dialogue.segments.removeLast()
    dialogue.send(.server, Array(octets[(octets.count - 40)...]))
    if acknowledging { dialogue.acknowledge(.client) }
    return (dialogue, lost)
  }

  /// A row that is final keeps what it misses, and so does its connection.
  @Test func lateOctetsOfAFinalRow() {
    var (dialogue, lost) = holeInBody(acknowledging: true)
    dialogue.wait(5_000_000_000)
    for number in 0..<40 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, HTTP.ok("b"))
    }
    dialogue.capture(lost)
    let analysis = analyze(dialogue)
    #expect(analysis.anomalies[.tcpHole] == 1 && analysis.anomalies[.tcpLateData] == 1)
    #expect(analysis.response("/a")?.missing == 40)
    #expect(analysis.response("/a")?.octets.body == 60)
    #expect(analysis.connection.missing == 40 && analysis.ledger.missing == 40)
    #expect(analysis.ledger[.stray] == 40)
  }

  @Test func responseThatIsCapturedBeforeItsRequest() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()
    let usual = SplitsResult(analyze(dialogue))
    dialogue.segments.swapAt(3, 4)
    let swapped = SplitsResult(analyze(dialogue))
    #expect(usual.pairs == ["GET /a 200"])
    #expect(swapped.difference(from: usual) == nil)
  }

  /// The handshake, the request and its response with their acknowledgments, as several queues of a network card may mix them.
  @Test func theFirstPacketsInAnyOrder() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.acknowledge(.server)
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.acknowledge(.client)
    dialogue.close()
    let usual = SplitsResult(analyze(dialogue))
    let segments = dialogue.segments
    var orders: [[Int]] = [[]]
    for number in 0..<7 {
      orders = orders.flatMap { order in
        (0...order.count).map { place in
          var longer = order
          longer.insert(number, at: place)
          return longer
        }
      }
    }
    for order in orders {
      dialogue.segments = order.map { segments[$0] } + segments[7...]
      let found = analyze(dialogue)
      #expect(found.anomalies[.tcpHole] == 0 && found.anomalies[.tcpOneSided] == 0, "\(order)")
      #expect(SplitsResult(found).difference(from: usual) == nil, "\(order)")
    }
  }

  /// A hole that has been open for long, and its acknowledgment captured just before what fills it.
  @Test func acknowledgmentThatIsCapturedBeforeWhatItAcknowledges() {
    var (dialogue, lost) = holeInBody(acknowledging: false)
    dialogue.wait(5_000_000_000)
    dialogue.acknowledge(.client)
    dialogue.capture(lost)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.anomalies[.tcpHole] == 0)
    #expect(analysis.response("/a")?.octets.body == 100)
    #expect(analysis.response("/a")?.exactness == .exact)
  }
}
