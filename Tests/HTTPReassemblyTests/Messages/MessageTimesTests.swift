import HTTPReassembly
import TestSupport
import Testing

/// First and last times of messages, and the phases between them, in whatever order their packets were captured.
@Suite struct MessageTimesTests {
  /// The earliest and the latest packet with octets of each message, when `texts` are sent back to back in segments that `cuts` end.
  private func expected(_ texts: [String], _ segments: [(range: Range<Int>, time: Int64)]) -> [ClosedRange<Int64>] {
    var end = 0
    return texts.map { text in
      let range = end..<end + text.utf8.count
      end = range.upperBound
      let times = segments.filter { $0.range.overlaps(range) }.map(\.time)
      return (times.min() ?? 0)...(times.max() ?? 0)
    }
  }

  /// Cuts a stream anywhere, and captures the pieces in any order.
  private func captured(
    _ texts: [String], of peer: Peer, _ dialogue: inout Dialogue, _ random: inout SeededRandom
  ) -> [ClosedRange<Int64>] {
    let octets = Array(texts.joined().utf8)
    let cuts = (0..<random.number(1..<8)).map { _ in random.number(1..<octets.count) }
    let ends = Set(cuts + [octets.count]).sorted()
    var sent: [(range: Range<Int>, segment: Segment)] = []
    var start = 0
    for end in ends {
      var segment = dialogue.segment(peer, [.ack, .push], Array(octets[start..<end]))
      segment.sequence &+= UInt32(start)
      sent.append((start..<end, segment))
      start = end
    }
    sent.shuffle(using: &random)
    let times = sent.map { piece in
      let time = dialogue.now
      dialogue.capture(piece.segment)
      return (range: piece.range, time: time)
    }
    dialogue.next[peer] = dialogue.segment(peer).sequence &+ UInt32(octets.count)
    dialogue.received[peer.other] = dialogue.next[peer]
    return expected(texts, times)
  }

  @Test(arguments: RandomCases.seeds(0..<300)) func areThoseOfThePackets(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let count = random.number(1..<4)
    let requests = (0..<count).map { random.chance(0.5) ? HTTP.get("/\($0)") : HTTP.post("/\($0)", HTTP.body(30)) }
    let responses = (0..<count).map {
      random.chance(0.5) ? HTTP.ok("body \($0)", fields: "X-A: 1\r\n") : HTTP.chunked("ab", "cde", "f")
    }
    var dialogue = Dialogue.opened()
    let requestTimes = captured(requests, of: .client, &dialogue, &random)
    dialogue.acknowledge(.server)
    let responseTimes = captured(responses, of: .server, &dialogue, &random)
    dialogue.close()
    let analysis = analyze(dialogue)
    try #require(analysis.requests.count == count && analysis.exchanges.count == count)
    #expect(analysis.requests.map { $0.firstTime...$0.lastTime } == requestTimes)
    #expect(analysis.responses.map { $0.firstTime...$0.lastTime } == responseTimes)
    for (index, exchange) in analysis.exchanges.enumerated() {
      let (request, response) = (requestTimes[index], responseTimes[index])
      #expect(exchange.started == request.lowerBound)
      #expect(exchange.timings.send == request.upperBound - request.lowerBound)
      #expect(exchange.timings.wait == max(0, response.lowerBound - request.upperBound))
      #expect(exchange.timings.receive == response.upperBound - response.lowerBound)
    }
  }
}
