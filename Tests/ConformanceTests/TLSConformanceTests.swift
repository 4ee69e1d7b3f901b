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
  private static let later = CaptureRun(path: folder + "/later.pcap.gz", keys: folder + "/later.keys")

  private static func rows(_ path: String) throws -> [[String]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Every suite of the versions 1.0 to 1.3, and every odd handshake; certificates of clients, also after the handshake, and padding: the
  /// program that sent the messages counted them.
  @Test(arguments: [("suites", 25), ("later", 3)])
  func everyMessageOfEverySuite(_ name: String, _ least: Int) throws {
    let run = name == "suites" ? Self.suites : Self.later
    #expect(run.readError == nil)
    run.expectBalance(name)
    var expected: [String: [[String]]] = [:]
    for row in try Self.rows(Self.folder + "/\(name).witness.csv") { expected[row[0], default: []].append(row) }
    #expect(expected.count > least)
    #expect(run.anomalies[.tlsRecordNotVerified] == 0)
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

  // MARK: Names of secrets

  /// The random of a ClientHello, in hexadecimal digits.
  private static func random(of turns: Turns) -> String {
    turns[0].octets[11..<43].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func log(_ change: (String) -> String?) -> [UInt8] {
    let lines = String(decoding: secrets, as: UTF8.self).split(separator: "\n").compactMap { change(String($0)) }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// The port of the connection to a host: connections are numbered as their ports are.
  private static func port(of host: String) throws -> UInt16 {
    let message = try #require(suites.messages.first { $0.host == host })
    return UInt16(40_000 + message.message.connection)
  }

  /// Up to TLS 1.2 a session that goes on from a ticket has the first session's secret; in TLS 1.3 it has its own.
  @Test func aTicketOpensWhatGoesOnFromIt() throws {
    for (version, opens) in [("tls12", true), ("tls13", false)] {
      let first = try Self.turns(ofPort: Self.port(of: "\(version)-first.example"))
      let resumed = try Self.turns(ofPort: Self.port(of: "\(version)-resumed.example"))
      let name = Self.random(of: resumed)
      let lacking = Self.log { $0.contains(name) ? nil : $0 }
      #expect(lacking.count < Self.secrets.count)
      var dialogue = Dialogue(first, cut: nil)
      var second = Dialogue()
      second.client.port += 1
      second.now = dialogue.now
      second.open()
      for turn in resumed { second.send(turn.peer, turn.octets) }
      second.close()
      dialogue.segments += second.segments
      let analysis = Analysis(dialogue.packets(), secrets: lacking)
      #expect(analysis.violations == [])
      let opened = analysis.connections.map(\.security?.opening)
      #expect(opened == [.yes, opens ? .yes : .no], "\(version)")
      #expect(analysis.connections.last?.security?.isResumed == true, "\(version)")
      let alone = Analysis(Dialogue(resumed, cut: nil).packets(), secrets: lacking)
      #expect(alone.messages.isEmpty && alone.connections.first?.security?.opening == .no, "\(version)")
    }
  }

  /// Programs that look for secrets in memory write some too early: wrong ones stand before and behind the right one, of each label. The
  /// records tell which one is right, in every suite.
  @Test func recordsTellTheRightSecretFromWrongOnes() throws {
    var wrong = 0
    let log = Self.log { line in
      let parts = line.split(separator: " ")
      guard parts.count == 3, !line.hasPrefix("#") else { return line }
      func other(_ digit: Character) -> String {
        wrong += 1
        return "\(parts[0]) \(parts[1]) \(String(repeating: digit, count: parts[2].count))"
      }
      return [other("0"), other("1"), line, line, other("2")].joined(separator: "\n")
    }
    #expect(wrong > 100)
    var reader = try CaptureReader(path: Self.folder + "/suites.pcap.gz")
    var pipeline = Pipeline(sink: RowCollector())
    log.withOctets { pipeline.learn(secrets: $0, ofLog: 0) }
    pipeline.endOfSecrets()
    while try reader.advance() { reader.withPacket { packet, octets in pipeline.process(packet, octets) } }
    pipeline.finishConnections()
    func text(_ messages: [FoundMessage]) -> [String] {
      messages.map { "\($0.message.connection) \($0.host) \($0.path) \($0.message.octets) \($0.message.tls)" }.sorted()
    }
    #expect(text(pipeline.sink.messages) == text(Self.suites.messages))
    let (secrets, plain) = (pipeline.totals.secrets, Self.suites.totals.secrets)
    #expect(secrets.openings == plain.openings && plain.openings.opened > 30)
    #expect(secrets.logs[0].used == plain.captures.used && plain.captures.used > 40)
    #expect(pipeline.totals.anomalies[.tlsRecordNotVerified] == 0)
  }

  /// Static ECDH differs from ECDHE in the certificate and the key exchange alone: the master secret opens its records in the same way.
  @Test func staticSuitesAreOpened() throws {
    var names: Set<String> = []
    for connection in Self.suites.connections {
      guard let suite = connection.security?.suite, let name = connection.security?.suiteName,
        name.contains("_ECDHE_"), !name.contains("CHACHA20"), !name.contains("CCM"), !names.contains(name)
      else { continue }
      var turns = try Self.turns(ofPort: UInt16(40_000 + connection.number))
      let whole = Analysis(Dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
      // Behind the headers, the version, the random, and the session.
      let place = 5 + 4 + 2 + 32 + 1 + Int(turns[1].octets[5 + 4 + 2 + 32])
      let fixed = suite < 0xc020 ? suite - 5 : suite + 2
      #expect(turns[1].octets[place..<place + 2] == [UInt8(suite >> 8), UInt8(suite & 0xff)])
      (turns[1].octets[place], turns[1].octets[place + 1]) = (UInt8(fixed >> 8), UInt8(fixed & 0xff))
      let found = Analysis(Dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
      #expect(found.violations == [])
      #expect(found.connections.first?.security?.suiteName == name.replacing("_ECDHE_", with: "_ECDH_"))
      #expect(found.connections.first?.security?.opening == .yes)
      #expect(found.secureText == whole.secureText && found.messages.count >= 2, "\(name)")
      names.insert(name)
    }
    #expect(names.count >= 6)
  }

  /// A prefix of a proxy stands before TLS: the same comes out, wherever the prefix is cut, and also where it is lost.
  @Test func behindPrefixes() throws {
    let socks: Turns = [
      (.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0, 1, 203, 0, 113, 7, 1, 187]),
      (.server, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ]
    let line: Turns = [(.client, Array("PROXY TCP4 198.51.100.22 203.0.113.7 35646 443\r\n".utf8))]
    for (prefix, kind) in [(socks, PrefixProtocol.socks5), (line, .proxy1)] {
      for connection in [2, 24, 32] {
        let turns = try Self.turns(ofPort: UInt16(40_000 + connection))
        let whole = Analysis(Dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
        let length = prefix.reduce(0) { $0 + $1.octets.count }
        var joined = prefix + turns
        if prefix.count == 1 {
          joined.removeFirst()
          joined[0].octets = prefix[0].octets + turns[0].octets
        }
        for number in prefix.indices {
          for cut in 0..<prefix[number].octets.count {
            let found = Analysis(Dialogue(joined, cut: (number, cut)).packets(), secrets: Self.secrets)
            let isSame = found.violations == [] && found.secureText == whole.secureText
            #expect(isSame, "\(kind) cut after \(cut): \(found.violations)")
            #expect(found.ledger[.stray] == length && found.prefixes[1]?.kind == kind)
          }
        }
        // Without the prefix's own packets the hello is found all the same.
        guard prefix.count > 1 else { continue }
        for lost in prefix.indices {
          var dialogue = Dialogue.opened()
          for (number, turn) in (prefix + turns).enumerated() {
            for start in stride(from: 0, to: turn.octets.count, by: 40_000) {
              let part = Array(turn.octets[start..<min(start + 40_000, turn.octets.count)])
              dialogue.send(turn.peer, part, isCaptured: number != lost)
            }
          }
          dialogue.close()
          let found = Analysis(dialogue.packets(), secrets: Self.secrets)
          #expect(
            found.violations == [] && found.messages.count == whole.messages.count, "\(kind) without turn \(lost)")
        }
      }
    }
  }

  /// A false ClientHello with another random and session stands before the true one, in the same place: the known secrets tell which one the
  /// server got.
  @Test func aFalseHelloBeforeTheTrueOne() throws {
    var tried = 0
    for connection in Self.suites.connections.prefix(24) {
      let turns = try Self.turns(ofPort: UInt16(40_000 + connection.number))
      let hello = turns[0].octets
      guard hello.count == 5 + Int(hello[3]) << 8 + Int(hello[4]) else { continue }
      let whole = Analysis(Dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
      var false1 = hello
      for place in 11..<43 { false1[place] = UInt8(place) }
      if false1[43] > 0 { false1[44] ^= 0xff }
      var dialogue = Dialogue.opened()
      dialogue.capture(dialogue.segment(.client, [.ack, .push], false1))
      for turn in turns {
        for start in stride(from: 0, to: turn.octets.count, by: 40_000) {
          dialogue.send(turn.peer, Array(turn.octets[start..<min(start + 40_000, turn.octets.count)]))
        }
      }
      dialogue.close()
      let found = Analysis(dialogue.packets(), secrets: Self.secrets)
      #expect(found.violations == [], "connection \(connection.number)")
      #expect(found.messages.map { "\($0.path) \($0.octets)" } == whole.messages.map { "\($0.path) \($0.octets)" })
      #expect(found.connections.first?.security?.opening == whole.connections.first?.security?.opening)
      tried += 1
    }
    #expect(tried > 15)
  }

  /// A proxy that opens TLS mirrors the ClientHello, and then what it read.
  @Test func aMirrorOfOpenedTLS() throws {
    let hello = try Self.turns(ofPort: 40_002)[0].octets
    let request = Array("GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n".utf8)
    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
    for cut in 0...request.count {
      for isJoined in [false, true] {
        var turns: Turns = [(.client, hello), (.client, request), (.server, answer)]
        if isJoined {
          turns.removeFirst()
          turns[0].octets = hello + request
        }
        let place = isJoined ? (0, cut + hello.count) : (1, cut)
        let found = Analysis(Dialogue(turns, cut: place).packets())
        #expect(found.violations == [])
        #expect(
          found.messages.map { "\($0.path) \($0.octets.total) \($0.exactness)" } == [
            "/a \(request.count) exact", "/a \(answer.count) exact",
          ])
        #expect(found.ledger[.tls] == hello.count && found.anomalies.all.isEmpty)
      }
    }
  }

  /// The hello in the clear has another random than the one that the log names: the server's first record says which secrets fit.
  @Test func theInnerHelloOfAnEncryptedOneIsFound() throws {
    var turns = try Self.turns(ofPort: 40_001)
    let whole = Analysis(Dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
    let name = Self.random(of: turns)
    let inner = String(repeating: "5a", count: 32)
    let renamed = Self.log { $0.replacingOccurrences(of: name, with: inner) }
    // Without the extension, nothing says that there may be another name.
    let plain = Analysis(Dialogue(turns, cut: nil).packets(), secrets: renamed)
    #expect(plain.messages.isEmpty && plain.connections.first?.security?.opening == .no)
    // encrypted_client_hello, of the inner kind's shortest form: only that it is there matters.
    var hello = turns[0].octets
    var place = 5 + 4 + 2 + 32
    place += 1 + Int(hello[place])
    place += 2 + Int(hello[place]) << 8 + Int(hello[place + 1])
    place += 1 + Int(hello[place])
    func add(_ count: Int, to place: Int) {
      let sum = Int(hello[place]) << 8 + Int(hello[place + 1]) + count
      (hello[place], hello[place + 1]) = (UInt8(sum >> 8), UInt8(sum & 0xff))
    }
    for place in [3, 7, place] { add(5, to: place) }
    hello += [0xfe, 0x0d, 0, 1, 0]
    turns[0].octets = hello
    let found = Analysis(Dialogue(turns, cut: nil).packets(), secrets: renamed)
    #expect(found.violations == [])
    #expect(found.messages.map { "\($0.path) \($0.octets)" } == whole.messages.map { "\($0.path) \($0.octets)" })
    #expect(found.connections.first?.security?.opening == .yes)
    // So does a later record of its handshake, where the first packet with the ServerHello is lost.
    let server = try #require(turns.firstIndex { $0.peer == .server })
    for count in [60, 200, 500] {
      var dialogue = Dialogue(turns, cut: (server, count))
      let lost = try #require(
        dialogue.segments.firstIndex { $0.source.port == dialogue.server.port && !$0.payload.isEmpty })
      #expect(dialogue.segments.remove(at: lost).payload.count == count)
      let found = Analysis(dialogue.packets(), secrets: renamed)
      #expect(found.violations == [], "\(count)")
      #expect(found.messages.map { "\($0.path) \($0.octets)" } == whole.messages.map { "\($0.path) \($0.octets)" })
      #expect(found.connections.first?.security?.suite == whole.connections.first?.security?.suite, "\(count)")
    }
    // With no log that fits it is closed, and nothing is said to be wrong.
    let others = Self.log { $0.contains(name) ? nil : $0 }
    let closed = Analysis(Dialogue(turns, cut: nil).packets(), secrets: others)
    #expect(closed.violations == [] && closed.messages.isEmpty)
    #expect(closed.connections.first?.security?.hasEncryptedHello == true)
  }

  /// What a closed connection's content can have at most is what the opened one has, and TLS 1.3's encrypted handshake.
  @Test func theUpperBoundOfClosedContent() throws {
    let closed = CaptureRun(path: Self.folder + "/suites.pcap.gz")
    let classes: [OctetClass] = [.startLine, .header, .body, .framing, .trailer, .stray, .opaque]
    for (shut, opened) in zip(closed.connections, Self.suites.connections) where opened.security?.opening == .yes {
      // Early data comes before the server says by which suite.
      guard let most = shut.security?.mostUnopened else {
        #expect(shut.security?.isResumed == true && shut.security?.version == 0x0304)
        continue
      }
      let content = Self.suites.messages.filter { $0.message.connection == opened.number }
        .reduce(0) { $0 + $1.message.octets.total }
      let isTLS13 = opened.security?.version == 0x0304
      let isExact = !isTLS13 && opened.security?.suiteName?.contains("CBC") == false
      #expect(isExact ? most == content : most >= content, "connection \(opened.number)")
      #expect(most < content + (isTLS13 ? 6000 : 400), "connection \(opened.number)")
      #expect(opened.security?.mostUnopened == 0, "connection \(opened.number)")
    }
    #expect(classes.allSatisfy { closed.ledger[$0] == 0 })
  }

  // MARK: Cuts

  /// What each side sent on one connection, in turns.
  private static func turns(ofPort port: UInt16) throws -> Turns {
    var reader = try CaptureReader(path: folder + "/suites.pcap.gz")
    var turns: Turns = []
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

  /// TLS 1.3 with its encrypted handshake, early data, and TLS 1.2 with blocks and renegotiation.
  @Test(arguments: [24, 32, 30])
  func cutAtEveryPosition(_ connection: Int) throws {
    let turns = try Self.turns(ofPort: UInt16(40_000 + connection))
    let whole = Analysis(Dialogue(turns, cut: nil).packets(), secrets: Self.secrets)
    #expect(whole.violations == [] && whole.messages.count >= 2)
    let expected = whole.secureText
    for (number, turn) in turns.enumerated() {
      for cut in stride(from: 1, to: turn.octets.count, by: turn.octets.count > 600 ? 5 : 1) {
        let analysis = Analysis(Dialogue(turns, cut: (number, cut)).packets(), secrets: Self.secrets)
        guard analysis.violations == [], analysis.secureText == expected else {
          Issue.record("turn \(number) cut after \(cut): \(analysis.violations) \(analysis.secureText)")
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
      expectKnownRows(
        try Self.turns(ofPort: UInt16(40_000 + connection)), secrets: Self.secrets, loss: 1 / 40, random: &random)
    }
  }
}
