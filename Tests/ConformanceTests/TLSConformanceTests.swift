import Capture
import Foundation
import HTTPReassembly
import TestSupport
import Testing

/// TLS that is opened: what comes out is what was sent before it was encrypted.
@Suite struct TLSConformanceTests {
  private static let folder = Locations.captures + "/tls"
  private static let keys = folder + "/suites.keys"
  private static let suites = CaptureRun(path: folder + "/suites.pcap.gz", keys: keys)

  private static func rows(_ path: String) throws -> [[String]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Every suite of the versions 1.0 to 1.3, and every odd handshake: the program that sent the messages counted them.
  @Test func everyMessageOfEverySuite() throws {
    let run = Self.suites
    #expect(run.readError == nil)
    run.expectBalance("suites")
    var expected: [String: [[String]]] = [:]
    for row in try Self.rows(Self.folder + "/suites.witness.csv") { expected[row[0], default: []].append(row) }
    #expect(expected.count > 25)
    for (host, rows) in expected.sorted(by: { $0.key < $1.key }) {
      let own = run.messages.filter { $0.host == host }
      let requests = own.filter(\.isRequest).map { "\($0.message.octets.total)" }
      let responses = own.filter { !$0.isRequest }.map { "\($0.message.octets.total)" }
      #expect(requests == rows.map { $0[1] }, "\(host)")
      #expect(responses == rows.map { $0[2] }, "\(host)")
      #expect(
        own.allSatisfy { $0.message.isSecure && $0.message.exactness == .exact && $0.message.tls >= 0 }, "\(host)")
      let connections = Set(own.map(\.message.connection))
      #expect(connections.count == 1, "\(host)")
      for connection in run.connections where connections.contains(connection.number) {
        #expect(connection.security?.opening == .yes, "\(host)")
        // What records cost is charged to messages, all of it: nothing here is an empty record but for TLS 1.0's.
        let charged = own.reduce(0) { $0 + $1.message.tls }
        let empty = (connection.security?.record ?? 0) - charged
        #expect(empty == 0 || connection.security?.version == 0x0301 && empty > 0, "\(host): \(empty)")
      }
    }
  }

  @Test func versionsSuitesAndResumption() {
    let run = Self.suites
    let versions = Set(run.connections.compactMap(\.security?.versionName))
    #expect(versions == ["1.0", "1.1", "1.2", "1.3"])
    let suites = Set(run.connections.compactMap(\.security?.suiteName))
    for name in [
      "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_CCM_SHA256",
      "TLS_AES_128_CCM_8_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
    ] {
      #expect(suites.contains(name))
    }
    // Both versions' second sessions, and the two of early data, of which the last server knew nothing of the ticket.
    #expect(run.connections.count { $0.security?.isResumed == true } == 3)
    #expect(run.anomalies[.tlsEarlyDataRefused] == 1 && run.anomalies[.tlsRecordNotVerified] == 0)
  }

  /// Early data that was refused is closed, and its octets are told apart.
  @Test func refusedEarlyDataIsNotOpened() throws {
    let refused = try #require(Self.suites.connections.last)
    #expect(refused.security?.opening == .no && refused.messages == 0)
    #expect(Self.suites.ledger.tlsApplicationData > 0)
  }

  /// Without keys, everything is counted, and nothing is read.
  @Test func withoutKeysEveryOctetHasItsSubclass() {
    let run = CaptureRun(path: Self.folder + "/suites.pcap.gz")
    run.expectBalance("suites without keys")
    #expect(run.messages.isEmpty && run.ledger.tlsRecord == 0)
    #expect(run.ledger[.tls] == run.ledger.tlsHandshake + run.ledger.tlsApplicationData + run.ledger.tlsOther)
    #expect(run.ledger[.tls] + run.ledger[.network] + run.ledger[.transport] == run.ledger.original)
    // Up to TLS 1.2 the handshake can be told from the rest in either way.
    for (closed, opened) in zip(run.connections, Self.suites.connections)
    where opened.security.map({ $0.version < 0x0304 }) == true {
      #expect(closed.handshake == opened.handshake, "connection \(closed.number)")
    }
    #expect(run.connections.allSatisfy { $0.security?.opening != .yes })
  }

  /// Other people's captures with keys: as many octets of the application as Wireshark decrypts.
  @Test(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
  func asMuchIsOpenedAsTheOracleOpens() throws {
    var decrypted: [String: [(stream: Int, octets: Int)]] = [:]
    for row in try Self.rows(Locations.corpus + "/oracle/tls.csv") {
      decrypted[row[0], default: []].append((Int(row[1]) ?? 0, Int(row[3]) ?? 0))
    }
    #expect(decrypted.count >= 7)
    for (file, streams) in decrypted.sorted(by: { $0.key < $1.key }) {
      let path = Locations.corpus + "/" + file
      let keys = path.replacingOccurrences(of: ".pcap", with: ".keylog")
      let run = CaptureRun(path: path, keys: keys)
      run.expectBalance(file)
      let classes: [OctetClass] = [.startLine, .header, .body, .framing, .trailer, .stray, .tunnel, .opaque]
      // What is protected with RC4 is named, and not opened.
      let closed = Set(run.connections.filter { $0.security?.isSuiteOpened == false }.map(\.number))
      #expect(closed.count == run.anomalies[.tlsSuiteNotOpened] && closed.count < 6)
      let octets = streams.filter { !closed.contains($0.stream + 1) }.reduce(0) { $0 + $1.octets }
      #expect(octets > 0 && classes.reduce(0) { $0 + run.ledger[$1] } == octets, "\(file)")
    }
  }

  // MARK: Cuts

  /// What each side sent on one connection, in turns.
  private static func turns(ofPort port: UInt16) throws -> [(peer: Peer, octets: [UInt8])] {
    var reader = try CaptureReader(path: folder + "/suites.pcap.gz")
    var turns: [(peer: Peer, octets: [UInt8])] = []
    while try reader.advance() {
      reader.withPacket { _, octets in
        let (source, target) = (octets.bigEndian16(20), octets.bigEndian16(22))
        guard source == port || target == port, octets.byteCount > 40 else { return }
        let peer: Peer = source == port ? .client : .server
        if turns.last?.peer != peer { turns.append((peer, [])) }
        octets.append(40..<octets.byteCount, to: &turns[turns.count - 1].octets)
      }
    }
    return turns
  }

  private static let secrets = FileManager.default.contents(atPath: keys).map { [UInt8]($0) } ?? []

  private static func dialogue(_ turns: [(peer: Peer, octets: [UInt8])], cut: (Int, Int)?) -> Dialogue {
    var dialogue = Dialogue.opened()
    for (number, turn) in turns.enumerated() {
      if let cut, cut.0 == number {
        dialogue.send(turn.peer, Array(turn.octets[..<cut.1]))
        dialogue.send(turn.peer, Array(turn.octets[cut.1...]))
      } else {
        dialogue.send(turn.peer, turn.octets)
      }
    }
    dialogue.close()
    return dialogue
  }

  private static func text(_ analysis: Analysis) -> String {
    analysis.messages.map {
      "\($0.kind) \($0.method) \($0.host) \($0.path) \($0.octets) \($0.message.tls) \($0.exactness) \($0.pairing)"
    }.joined(separator: "\n") + "\(analysis.ledger.tlsHandshake) \(analysis.ledger.tlsRecord)"
  }

  /// TLS 1.3 with its encrypted handshake, early data, and TLS 1.2 with blocks and renegotiation.
  @Test(arguments: [24, 32, 30])
  func cutAtEveryPosition(_ connection: Int) throws {
    let turns = try Self.turns(ofPort: UInt16(40_000 + connection))
    let whole = Analysis(Self.dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
    #expect(whole.violations == [] && whole.messages.count >= 2)
    let expected = Self.text(whole)
    for (number, turn) in turns.enumerated() {
      for cut in stride(from: 1, to: turn.octets.count, by: turn.octets.count > 600 ? 5 : 1) {
        let analysis = Analysis(Self.dialogue(turns, cut: (number, cut)).packets(), secrets: Self.secrets)
        guard analysis.violations == [], Self.text(analysis) == expected else {
          Issue.record("turn \(number) cut after \(cut): \(analysis.violations) \(Self.text(analysis))")
          return
        }
      }
    }
  }

  /// A hole in a body hides where the next record begins: it is found, the body is bridged, and what follows is exact.
  @Test func theNextRecordIsFoundBehindAHole() throws {
    let turns = try Self.turns(ofPort: 40_002)
    let longest = try #require(turns.indices.max { turns[$0].octets.count < turns[$1].octets.count })
    #expect(turns[longest].octets.count > 20_000)
    // The first lies within the last record of the body. The second has the end of the record of 16 KiB, in which the header section
    // ends, and the header of the next record.
    for (hole, exactness) in [(16_800..<18_200, Exactness.inferred), (15_400..<18_200, .atLeast)] {
      var dialogue = Dialogue.opened()
      for (number, turn) in turns.enumerated() {
        var start = 0
        while start < turn.octets.count {
          let end = min(start + 1400, turn.octets.count)
          dialogue.send(
            turn.peer, Array(turn.octets[start..<end]), isCaptured: number != longest || !hole.contains(start))
          start = end
        }
      }
      dialogue.close()
      let analysis = Analysis(dialogue.packets(), secrets: Self.secrets)
      #expect(analysis.violations == [])
      #expect(analysis.exchanges.map(\.path) == ["/0", "/1", "/2", "/3"], "\(hole)")
      #expect(analysis.exchanges.allSatisfy { $0.response != nil }, "\(hole)")
      let broken = try #require(analysis.messages.first { $0.path == "/1" && $0.kind == .response })
      #expect(broken.exactness == exactness, "\(hole)")
      if exactness == .inferred { #expect(broken.octets.body + broken.missing == 20_000) }
      let whole = Self.suites.messages.filter { $0.message.connection == 2 }.map { "\($0.path) \($0.message.octets)" }
      for message in analysis.messages where message.number != broken.number {
        #expect(whole.contains("\(message.path) \(message.octets)"), "\(hole): \(message.path)")
      }
      #expect(analysis.connections.first?.security?.opening == .partly)
    }
  }

  /// Segments of any length, repeated, swapped, lost: whatever comes of it, everything adds up, and no row is exact that is not.
  @Test func anyOrderAnyLoss() throws {
    var random = SeededRandom(seed: 19)
    for connection in [1, 8, 15, 24, 30, 32] {
      let turns = try Self.turns(ofPort: UInt16(40_000 + connection))
      let whole = Analysis(Self.dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
      // A response whose request was lost has no path.
      let known = Set(whole.messages.flatMap { ["\($0.kind) \($0.path) \($0.octets)", "\($0.kind)  \($0.octets)"] })
      for _ in 0..<8 {
        var dialogue = Dialogue.opened()
        for turn in turns {
          var start = 0
          while start < turn.octets.count {
            let end = min(start + Int.random(in: 1...1400, using: &random), turn.octets.count)
            dialogue.send(
              turn.peer, Array(turn.octets[start..<end]), isCaptured: Int.random(in: 0..<40, using: &random) > 0)
            if Int.random(in: 0..<10, using: &random) == 0 { dialogue.repeatSegment(-1) }
            let count = dialogue.segments.count
            if count > 5, Int.random(in: 0..<10, using: &random) == 0 { dialogue.segments.swapAt(count - 1, count - 2) }
            start = end
          }
        }
        dialogue.close()
        let analysis = Analysis(dialogue.packets(), secrets: Self.secrets)
        #expect(analysis.violations == [], "connection \(connection)")
        for message in analysis.messages where message.exactness == .exact {
          #expect(known.contains("\(message.kind) \(message.path) \(message.octets)"), "connection \(connection)")
        }
      }
    }
  }
}
