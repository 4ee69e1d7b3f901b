import TestSupport
import Testing

@testable import HTTPReassembly

/// A subflow of Multipath TCP has a part of a larger stream.
@Suite struct MultipathTests {
  /// The option with a mapping (RFC 8684 §3.3): 4 octets of sequence, the subflow's number, the length.
  private func mapping(_ sequence: UInt32, _ subflow: UInt32, _ length: Int) -> [UInt8] {
    func octets(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    return [30, 14, 0x20, 0x04] + octets(sequence) + octets(subflow) + [UInt8(length >> 8), UInt8(length & 0xff), 1, 1]
  }

  /// Two exchanges on a subflow; `jump` octets of the first response were sent elsewhere.
  private func dialogue(jump: UInt32, joins: Bool = false) -> Dialogue {
    var dialogue = Dialogue()
    var syn = dialogue.segment(.client, .syn)
    syn.options = joins ? [30, 12, 0x10, 1, 9, 9, 9, 9, 8, 8, 8, 8] : [30, 4, 0x01, 0x81]
    dialogue.capture(syn)
    dialogue.next[.client] = syn.sequence &+ 1
    dialogue.received[.server] = syn.sequence &+ 1
    dialogue.send(.server, [], flags: [.syn, .ack])
    dialogue.acknowledge(.client)
    var places: [Peer: UInt32] = [.client: 1, .server: 1]
    var jumped: [Peer: UInt32] = [.client: 7000, .server: 0xffff_ff00]
    for (peer, text) in [
      (Peer.client, HTTP.get("/a")), (.server, HTTP.ok(HTTP.body(40))), (.client, HTTP.get("/b")),
      (.server, HTTP.ok(HTTP.body(10))),
    ] {
      for part in [text.prefix(60), text.dropFirst(60)] where !part.isEmpty {
        var segment = dialogue.segment(peer, [.ack, .push], Array(part.utf8))
        let place = places[peer] ?? 0
        segment.options = mapping((jumped[peer] ?? 0) &+ place, place, part.utf8.count)
        dialogue.capture(segment)
        places[peer] = place + UInt32(part.utf8.count)
        dialogue.next[peer] = segment.end
        dialogue.received[peer.other] = segment.end
        if peer == .server, place == 1 { jumped[peer] = (jumped[peer] ?? 0) &+ jump }
      }
    }
    dialogue.close()
    return dialogue
  }

  /// While a subflow has everything, its rows are exact. None is where its numbers jump, or where it joins another one.
  @Test func rowsOfASubflowThatHasNotEverything() {
    let whole = analyze(dialogue(jump: 0))
    #expect(whole.pairs == ["GET /a 200", "GET /b 200"])
    #expect(whole.messages.allSatisfy { $0.exactness == .exact && $0.pairing == .exact })
    #expect(whole.anomalies[.tcpMultipathNotFollowed] == 0)
    for found in [analyze(dialogue(jump: 500)), analyze(dialogue(jump: 0, joins: true))] {
      #expect(found.messages.count >= 3 && found.messages.allSatisfy { $0.exactness != .exact && $0.pairing != .exact })
      #expect(found.exchanges.allSatisfy { $0.pairing != .exact })
      #expect(found.anomalies[.tcpMultipathNotFollowed] == 1)
    }
  }
}
