import HTTPReassembly
import TestSupport
import Testing

/// Streams that contradict themselves: found by mutation, made small. The ledger must balance all the same.
@Suite struct TransportBalanceTests {
  private static let stuck: Comment = "octets that are held for good stay pending: the ledger does not balance"

  private func segment(_ dialogue: Dialogue, _ peer: Peer, _ offset: Int, _ count: Int) -> Segment {
    var segment = dialogue.segment(peer, [.ack, .push], Array(HTTP.body(count).utf8))
    segment.sequence &+= UInt32(bitPattern: Int32(offset))
    return segment
  }

  @Test func finBeforeOctetsThatAreHeld() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.capture(segment(dialogue, .server, 100, 20))
    dialogue.send(.server, [], flags: [.fin, .ack])
    #expect(analyze(dialogue).classes[.outOfWindow] == 20)
  }

  @Test func finInTheHoleBeforeOctetsThatAreHeld() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.capture(segment(dialogue, .server, 100, 20))
    var fin = dialogue.segment(.server, [.fin, .ack])
    fin.sequence &+= 50
    dialogue.capture(fin)
    #expect(analyze(dialogue).ledger.difference == 0)
  }

  @Test func finInTheMiddleOfOctetsThatAreHeld() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.capture(segment(dialogue, .server, 100, 20))
    var fin = dialogue.segment(.server, [.fin, .ack])
    fin.sequence &+= 110
    dialogue.capture(fin)
    #expect(analyze(dialogue).ledger.difference == 0)
  }

  @Test func resetBeforeOctetsThatAreHeldOnTheOtherSide() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.capture(segment(dialogue, .server, 100, 20))
    dialogue.capture(segment(dialogue, .client, 100, 20))
    dialogue.send(.client, [], flags: [.rst, .ack])
    #expect(analyze(dialogue).ledger.difference == 0)
  }

  @Test func synBehindOctetsThatAreHeld() {
    var dialogue = Dialogue()
    dialogue.capture(segment(dialogue, .client, 0, 20))
    var syn = dialogue.segment(.client, .syn)
    syn.sequence &+= 1000
    dialogue.capture(syn)
    #expect(analyze(dialogue).ledger.difference == 0)
  }

  @Test func synInTheMiddleOfOctetsThatAreHeld() {
    var dialogue = Dialogue()
    dialogue.capture(segment(dialogue, .client, 0, 20))
    var syn = dialogue.segment(.client, .syn)
    syn.sequence &+= 10
    dialogue.capture(syn)
    #expect(analyze(dialogue).ledger.difference == 0)
  }

  @Test func synAckThatAcknowledgesMoreThanIsHeld() {
    var dialogue = Dialogue()
    dialogue.capture(segment(dialogue, .client, 0, 20))
    dialogue.received[.server] = 5000
    dialogue.capture(dialogue.segment(.server, [.syn, .ack]))
    #expect(analyze(dialogue).ledger.difference == 0)
  }

  /// Segments with random places, lengths and flags, few enough places that they meet.
  @Test func anySegments() {
    var imbalances: [Int] = []
    for seed in RandomCases.seeds(0..<600) {
      var random = SeededRandom(seed: UInt64(seed))
      var dialogue = random.chance(0.5) ? Dialogue.opened() : Dialogue()
      dialogue.step = random.chance(0.8) ? 1_000_000 : 5_000_000_000
      for _ in 0..<random.number(2..<40) {
        let peer = random.chance(0.5) ? Peer.client : .server
        let text = random.chance(0.3) ? (peer == .client ? HTTP.get("/a") : HTTP.ok("hello")) : HTTP.body(30)
        var segment = dialogue.segment(peer, .ack, Array(text.utf8.prefix(random.number(0..<60))))
        segment.sequence &+= UInt32(truncatingIfNeeded: random.number(-60..<200))
        segment.acknowledgment &+= UInt32(truncatingIfNeeded: random.number(-60..<200))
        if random.chance(0.1) { segment.flags.insert(.fin) }
        if random.chance(0.1) { segment.flags.insert(.syn) }
        if random.chance(0.05) { segment.flags.insert(.rst) }
        if random.chance(0.1) { segment.flags.remove(.ack) }
        if random.chance(0.1) { segment.uncaptured = random.number(0..<30) }
        dialogue.capture(segment)
      }
      if Analysis(dialogue.packets()).ledger.difference != 0 { imbalances.append(seed) }
    }
    #expect(imbalances == [])
  }
}
