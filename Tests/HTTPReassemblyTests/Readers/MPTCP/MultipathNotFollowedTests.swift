import Cryptography
import TestSupport
import Testing

@testable import HTTPReassembly

/// Subflows of Multipath TCP whose connection is not known: each has a part of a larger stream.
@Suite struct MultipathNotFollowedTests {
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

  /// The subflows of a connection have one name, whoever opens them: the server's token.
  @Test func subflowsOfAConnection() {
    let (client, server) = ([UInt8](1...8), [UInt8](11...18))
    func token(_ key: [UInt8]) -> [UInt8] { Array(SHA256.digest(key)[..<4]) }
    func join(_ token: [UInt8]) -> [UInt8] { [30, 12, 0x10, 1] + token + [8, 8, 8, 8] }
    func capable(_ version: UInt8, _ keys: [UInt8]) -> [UInt8] { [30, UInt8(4 + keys.count), version, 0x81] + keys }
    /// A subflow with options in its first segments.
    func subflow(_ port: UInt16, _ options: [[UInt8]]) -> [TestPacket] {
      var dialogue = Dialogue()
      dialogue.client.port = port
      dialogue.open()
      dialogue.send(.client, HTTP.get("/\(port)"))
      for (index, octets) in options.enumerated() { dialogue.segments[index].options = octets }
      return dialogue.packets()
    }
    let packets =
      subflow(1, [capable(1, []), capable(1, server), [], capable(1, client + server)])
      + subflow(2, [join(token(server))]) + subflow(3, [join(token(client))])
      + subflow(4, [capable(0, client), capable(0, server)]) + subflow(5, [])
    let name = String(token(server).flatMap { [String($0 >> 4, radix: 16), String($0 & 15, radix: 16)] }.joined())
    let old = DigestAlgorithm.sha1.digest(server).prefix(4)
      .map { [String($0 >> 4, radix: 16), String($0 & 15, radix: 16)].joined() }.joined()
    #expect(analyze(packets).connections.map(\.multipathName) == [name, name, name, old, ""])
  }

  /// The end of a subflow ends no content, unless the larger stream ends there.
  @Test(arguments: [false, true])
  func contentThatEndsWithASubflow(isLast: Bool) {
    var script = MultipathScript()
    script.open()
    script.send(.client, on: 0, HTTP.get("/a"))
    script.send(.server, on: 0, "HTTP/1.1 200 OK\r\n\r\nabc")
    if isLast { script.end(.server, on: 0) }
    script.close(0)
    for index in 0..<3 { script.segments[index].options = [] }
    let response = analyze(script.packets()).messages[1]
    #expect(response.octets.body == 3)
    #expect(response.exactness == (isLast ? .exact : .atLeast))
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
