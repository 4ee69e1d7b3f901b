import HTTPReassembly
import TestSupport
import Testing

/// Two copies of octets, where checksums tell the good one; and captures whose checksums tell nothing.
@Suite struct ChecksumTests {
  private static let good = HTTP.ok("good content")
  private static let bad = Array(HTTP.ok("bad, content").utf8)

  /// A request, then `copies` of the response as `Segment`s, then another exchange.
  private func dialogue(
    _ dialogue: Dialogue = .opened(), copies: (inout Dialogue) -> Void
  ) -> Dialogue {
    var dialogue = dialogue
    dialogue.send(.client, HTTP.get("/1"))
    copies(&dialogue)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("two"))
    dialogue.close()
    return dialogue
  }

  /// Captures a damaged copy of the next segment of a peer.
  private static func captureDamaged(_ dialogue: inout Dialogue, _ peer: Peer = .server, _ payload: [UInt8] = bad) {
    var segment = dialogue.segment(peer, [.ack, .push], payload)
    segment.hasWrongChecksum = true
    dialogue.capture(segment)
  }

  /// Expects that the good copy counts, and `repeated` octets as copies.
  private func expectGood(
    _ dialogue: Dialogue, repeated: Int = bad.count, damaged: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"], sourceLocation: sourceLocation)
    for path in ["/1", "/2"] {
      #expect(analysis.request(path)?.exactness == .exact, sourceLocation: sourceLocation)
      #expect(analysis.response(path)?.exactness == .exact, sourceLocation: sourceLocation)
    }
    #expect(analysis.response("/1")?.octets.total == Self.good.utf8.count, sourceLocation: sourceLocation)
    #expect(analysis.ledger[.retransmitted] == repeated, sourceLocation: sourceLocation)
    #expect(analysis.anomalies[.tcpChecksumBad] == damaged, sourceLocation: sourceLocation)
    #expect(analysis.anomalies[.tcpConflictingOverlap] == 0, sourceLocation: sourceLocation)
  }

  @Test(arguments: [false, true]) func theGoodCopyCounts(isIPv6: Bool) {
    var opened = isIPv6 ? Dialogue.overIPv6 : Dialogue()
    opened.open()
    expectGood(
      dialogue(opened) {
        Self.captureDamaged(&$0)
        $0.send(.server, Self.good)
      })
  }

  @Test func theGoodCopyMayComeFirst() {
    expectGood(
      dialogue {
        let damaged = $0.segment(.server, [.ack, .push], Self.bad)
        $0.send(.server, Self.good)
        var copy = damaged
        copy.hasWrongChecksum = true
        $0.capture(copy)
      })
  }

  @Test func segmentsMayComeInBetween() {
    let second = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    let first = dialogue.segment(.server, [.ack, .push], Array(Self.good.utf8))
    Self.captureDamaged(&dialogue)
    dialogue.next[.server] = first.end
    // The client pipelines, and acknowledges nothing of the damaged segment.
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, second, isReceived: false)
    dialogue.acknowledge(.client)
    dialogue.capture(first)
    dialogue.received[.client] = dialogue.next[.server]
    dialogue.close()
    expectGood(dialogue)
  }

  @Test func theGoodCopyMayComeInPieces() {
    for cut in [1, 5, 17, Self.good.utf8.count - 1] {
      expectGood(
        dialogue {
          Self.captureDamaged(&$0)
          $0.send(.server, String(Self.good.prefix(cut)))
          $0.send(.server, String(Self.good.dropFirst(cut)))
        }, damaged: analyzeDamage(cut))
    }
  }

  /// The damage in the two pieces of the response: each piece that differs is noted.
  private func analyzeDamage(_ cut: Int) -> Int {
    let good = Array(Self.good.utf8)
    return [0..<cut, cut..<good.count].count { good[$0] != Self.bad[$0] }
  }

  @Test func requestsMayBeDamaged() {
    var dialogue = Dialogue.opened()
    Self.captureDamaged(&dialogue, .client, Array(HTTP.get("/x").utf8))
    dialogue.send(.client, HTTP.get("/1"))
    dialogue.send(.server, Self.good)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("two"))
    dialogue.close()
    expectGood(dialogue, repeated: HTTP.get("/x").utf8.count)
  }

  /// A sender's own capture has no right checksums of that sender: the first copy counts, and is not exact.
  @Test func unfinishedChecksumsTellNothing() {
    var dialogue = dialogue {
      Self.captureDamaged(&$0)
      $0.send(.server, Self.good)
    }
    for index in dialogue.segments.indices where dialogue.segments[index].source == dialogue.server {
      dialogue.segments[index].hasWrongChecksum = true
    }
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.response("/1")?.exactness != .exact)
    #expect(analysis.anomalies[.tcpConflictingOverlap] == 1)
  }

  /// Only the handshake has right checksums, as where a network card joins segments. Octets count once the peer has acknowledged them.
  @Test func acknowledgedSegmentsCount() {
    var dialogue = dialogue { $0.send(.server, Self.good) }
    for index in dialogue.segments.indices where !dialogue.segments[index].payload.isEmpty {
      dialogue.segments[index].hasWrongChecksum = true
    }
    expectGood(dialogue, repeated: 0, damaged: 0)
  }

  /// An acknowledgment is charged to the message that it acknowledges, though it delivers that message.
  @Test func acknowledgmentsAreChargedAsEver() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    dialogue.send(.server, Self.good)
    dialogue.acknowledge(.client)
    dialogue.close()
    let right = analyze(dialogue)
    for index in dialogue.segments.indices where !dialogue.segments[index].payload.isEmpty {
      dialogue.segments[index].hasWrongChecksum = true
    }
    let wrong = analyze(dialogue)
    #expect(right.response("/1")?.overhead == 80)
    #expect(wrong.response("/1")?.overhead == 80)
    #expect(wrong.ledger == right.ledger)
  }

  /// The client's side is unfinished: so the server's may be, too, as on a machine that runs both.
  @Test func checksumsOfOneSideTellNothing() {
    var dialogue = dialogue {
      Self.captureDamaged(&$0)
      $0.send(.server, Self.good)
    }
    for index in dialogue.segments.indices where dialogue.segments[index].source == dialogue.client {
      dialogue.segments[index].hasWrongChecksum = true
    }
    #expect(analyze(dialogue).anomalies[.tcpConflictingOverlap] == 1)
  }

  /// A damaged segment at the end of a capture still counts.
  @Test func damagedSegmentsAtTheEndCount() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    Self.captureDamaged(&dialogue)
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200"])
    #expect(analysis.response("/1")?.octets.total == Self.bad.count)
    #expect(analysis.ledger[.retransmitted] == 0)
  }
}
