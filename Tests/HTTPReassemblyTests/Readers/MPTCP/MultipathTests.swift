import TestSupport
import Testing

@testable import HTTPReassembly

/// Subflows of Multipath TCP are one connection, read in the order of the data sequence.
@Suite struct MultipathTests {
  /// Expects all rows to be exact, and to be in the first subflow's connection.
  private func expectExact(_ found: Analysis, sourceLocation: SourceLocation = #_sourceLocation) {
    for message in found.messages {
      #expect(message.exactness == .exact && message.pairing == .exact, sourceLocation: sourceLocation)
      #expect(message.message.connection == 1, sourceLocation: sourceLocation)
    }
    #expect(found.anomalies[.tcpMultipathNotFollowed] == 0, sourceLocation: sourceLocation)
  }

  /// An answer on two subflows, and then exchanges on the first one. Both versions, short and long numbers, with and without checksums.
  @Test(arguments: [UInt8(0), 1], [false, true])
  func answerOnTwoSubflows(version: UInt8, isLong: Bool) {
    var script = MultipathScript(version: version)
    (script.hasLongNumbers, script.hasChecksums) = (isLong, isLong)
    script.open()
    script.send(.client, on: 0, HTTP.get("/video"))
    let second = script.join()
    let answer = Array(HTTP.ok(HTTP.body(4000)).utf8)
    script.send(.server, on: 0, Array(answer[..<1400]))
    script.send(.server, on: second, Array(answer[1400...]))
    for number in 0..<3 {
      script.send(.client, on: 0, HTTP.get("/ping/\(number)"))
      script.send(.server, on: 0, HTTP.ok(HTTP.body(100)))
    }
    script.end(.client, on: 0)
    script.end(.server, on: second)
    script.close(0)
    script.close(second)
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /video 200", "GET /ping/0 200", "GET /ping/1 200", "GET /ping/2 200"])
    expectExact(found)
    let video = found.messages[1]
    #expect(video.octets.total == answer.count && video.retransmitted == 0)
    // Both packets that carried it are charged to it, and its acknowledgments.
    let carriers = script.segments.filter { $0.source.port == 80 && $0.payload.count > 1000 }
    #expect(video.overhead >= carriers.map(\.overhead).reduce(0, +))
    #expect(found.connections.map(\.multipathName) == Array(repeating: name(script.token(.server)), count: 2))
    #expect(found.connections.map(\.joined) == [nil, 1])
    #expect(found.connections.map(\.applicationProtocol) == [.http1, .http1])
    #expect(found.totals.hosts.count == 1)
  }

  /// The answer to a request to join is captured before the request, or is lost. Then nothing proves that the subflow belongs here.
  @Test(arguments: [false, true]) func joiningsInAnotherOrder(_ isLost: Bool) throws {
    var script = MultipathScript()
    script.open()
    script.send(.client, on: 0, HTTP.get("/video"))
    let start = script.segments.count
    let second = script.join()
    let answer = Array(HTTP.ok(HTTP.body(4000)).utf8)
    script.send(.server, on: 0, Array(answer[..<1400]))
    script.send(.server, on: second, Array(answer[1400...]))
    try #require(script.segments[start].flags == .syn && script.segments[start + 1].flags.contains(.syn))
    if isLost { script.segments.remove(at: start + 1) } else { script.segments.swapAt(start, start + 1) }
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /video 200"])
    #expect(found.messages.last?.octets.total == answer.count && found.ledger[.opaque] == 0)
    #expect(found.connections.map(\.joined) == [nil, 1])
    if isLost {
      #expect(found.messages.allSatisfy { $0.exactness == .inferred } && found.anomalies[.tcpMultipathNotFollowed] == 1)
    } else {
      expectExact(found)
    }
  }

  private func name(_ token: [UInt8]) -> String {
    token.map { [String($0 >> 4, radix: 16), String($0 & 15, radix: 16)].joined() }.joined()
  }

  /// Octets that are sent on two subflows count once, and the second copy is `retransmitted`, for the message that owns them.
  @Test func octetsOnTwoSubflows() {
    var script = MultipathScript()
    script.open()
    let second = script.join()
    script.send(.client, on: 0, HTTP.get("/a"))
    let answer = Array(HTTP.ok(HTTP.body(3000)).utf8)
    script.send(.server, on: 0, Array(answer[..<1000]))
    // This one is captured on the second subflow before the first copy is.
    script.send(.server, on: second, Array(answer[2000...]), at: 2000)
    script.send(.server, on: 0, Array(answer[1000..<2500]), at: 1000)
    script.send(.server, on: second, Array(answer[500..<1500]), at: 500)
    script.send(.client, on: second, HTTP.get("/b"))
    script.send(.server, on: second, HTTP.ok("b"))
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /a 200", "GET /b 200"])
    expectExact(found)
    #expect(found.messages[1].octets.total == answer.count)
    #expect(found.messages[1].retransmitted == 500 + 1000)
    #expect(found.ledger[.retransmitted] == 1500)
  }

  /// A subflow that breaks is replaced by one that begins later, while none is left. Either host may open it.
  @Test(arguments: [Peer.client, .server])
  func breakBeforeMake(opener: Peer) {
    var script = MultipathScript()
    script.open()
    script.send(.client, on: 0, HTTP.get("/a"))
    let answer = Array(HTTP.ok(HTTP.body(2000)).utf8)
    script.send(.server, on: 0, Array(answer[..<900]))
    script.close(0, isReset: true)
    script.now += 60_000_000_000
    let second = script.join(by: opener)
    script.send(.server, on: second, Array(answer[900...]))
    script.send(.client, on: second, HTTP.get("/b"))
    script.send(.server, on: second, HTTP.ok("b"))
    script.close(second)
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /a 200", "GET /b 200"])
    expectExact(found)
    #expect(found.messages.allSatisfy { $0.message.client.port == 40_000 })
    #expect(found.connections.count == 2)
  }

  /// A connection that waits for a subflow when the capture ends has its rows.
  @Test func silentAtTheEnd() {
    var script = MultipathScript()
    script.open()
    let second = script.join()
    script.send(.client, on: 0, HTTP.get("/a"))
    script.send(.server, on: second, HTTP.ok("a"))
    script.close(0)
    script.close(second)
    var other = Dialogue()
    other.client.port = 50_000
    other.now = script.now + 60_000_000_000
    other.open()
    other.send(.client, HTTP.get("/b"))
    other.send(.server, HTTP.ok("b"))
    let found = analyze(script.packets() + other.packets())
    #expect(found.pairs == ["GET /a 200", "GET /b 200"])
    #expect(found.connections.map(\.joined) == [nil, 1, nil])
    #expect(found.connections.map(\.end) == [.fin, .fin, .captureEnd])
  }

  /// Subflows to several addresses, and messages that name no host: everything counts for one host.
  @Test(arguments: [false, true])
  func hostOfSubflows(isNamed: Bool) {
    var script = MultipathScript()
    script.open()
    let paths = [0] + (0..<3).map { script.join(by: $0 == 1 ? .server : .client) }
    let host = isNamed ? "Host: h.example\r\n" : ""
    for number in 0..<6 {
      script.send(.client, on: paths[number % 4], "GET /\(number) HTTP/1.0\r\nConnection: keep-alive\r\n\(host)\r\n")
      script.send(.server, on: paths[(number + 1) % 4], HTTP.ok(HTTP.body(3000)))
      script.send(.server, on: paths[(number + 2) % 4], [9], at: script.sent[.server, default: 0] - 1)
    }
    for path in paths { script.close(path) }
    let found = analyze(script.packets())
    #expect(found.messages.count == 12 && found.connections.count == 4)
    #expect(found.totals.hosts.map { $0.connections.total } == [4])
    #expect(found.totals.texts.string(found.totals.hosts[0].host) == (isNamed ? "h.example" : "198.51.100.1"))
  }

  /// The peers notice that something changed octets on the way.
  @Test func failedChecksum() {
    var script = MultipathScript()
    script.hasChecksums = true
    script.open()
    script.send(.client, on: 0, HTTP.get("/a"))
    script.send(.server, on: 0, HTTP.ok("a"))
    script.acknowledge(.client, on: 0)
    script.segments[script.segments.count - 1].options = [30, 12, 0x60, 0] + Array(repeating: 7, count: 8)
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /a 200"])
    #expect(found.messages.allSatisfy { $0.exactness == .inferred })
  }

  /// The end of the data sequence ends a content without a length, on whichever subflow it comes. The end of a subflow does not.
  @Test func endOfTheDataSequence() {
    var script = MultipathScript()
    script.open()
    let second = script.join()
    script.send(.client, on: 0, HTTP.get("/a"))
    script.send(.server, on: 0, "HTTP/1.1 200 OK\r\n\r\nabc")
    script.close(0)
    script.send(.server, on: second, "def")
    script.end(.server, on: second)
    script.end(.client, on: second)
    script.close(second)
    let found = analyze(script.packets())
    expectExact(found)
    #expect(found.messages[1].octets.body == 6)
    #expect(!found.messages[1].message.flags.contains(.incomplete))
  }

  /// A connection that agrees on paths, and sends without, is one of TCP.
  @Test func fallback() {
    var script = MultipathScript()
    script.open()
    script.send(.client, on: 0, Array(HTTP.get("/a").utf8), isMapped: false)
    script.send(.server, on: 0, Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8), isMapped: false)
    script.close(0)
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /a 200"])
    expectExact(found)
    #expect(found.messages[1].octets.body == 3)
  }

  /// Each choice of lost packets, and each packet that comes after its next one: all octets of a connection that goes on without paths
  /// are charged once. A packet may come before it is known that it does.
  @Test func fallbackWithoutSomePackets() {
    var script = MultipathScript()
    script.open()
    script.send(.client, on: 0, Array(HTTP.get("/a").utf8), isMapped: false)
    script.acknowledge(.server, on: 0)
    script.segments[script.segments.count - 1].options = []
    script.send(.server, on: 0, Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8), isMapped: false)
    script.close(0)
    let packets = script.packets()
    for choice in 0..<1 << packets.count {
      let found = Analysis(packets.indices.filter { choice >> $0 & 1 == 1 }.map { packets[$0] })
      #expect(found.violations == [], "\(choice)")
    }
    for index in packets.indices.dropLast() {
      for copies in 1...2 {
        var order = packets
        order.swapAt(index, index + 1)
        if copies == 2 { order.insert(packets[index], at: index) }
        let found = Analysis(order)
        #expect(found.violations == [], "\(index), \(copies)")
      }
    }
  }

  /// A middlebox removes the options of one direction.
  @Test func optionsOfOneDirection() {
    var script = MultipathScript()
    script.open()
    script.send(.client, on: 0, HTTP.get("/a"))
    script.send(.server, on: 0, Array(HTTP.ok(HTTP.body(50)).utf8), isMapped: false)
    script.send(.client, on: 0, Array(HTTP.get("/b").utf8), isMapped: false)
    let found = analyze(script.packets())
    #expect(found.pairs.first == "GET /a 200")
    #expect(found.messages.prefix(2).allSatisfy { $0.exactness == .exact })
    #expect(found.ledger[.opaque] == HTTP.get("/b").utf8.count)
  }

  /// A subflow that cannot prove that it belongs to a connection is not joined, and its rows are not exact.
  @Test func subflowWithoutProof() {
    var script = MultipathScript()
    script.open()
    let second = script.join(hasProof: false)
    script.send(.client, on: 0, HTTP.get("/a"))
    script.send(.server, on: 0, HTTP.ok("a"))
    script.send(.client, on: second, HTTP.get("/b"))
    script.send(.server, on: second, HTTP.ok("b"))
    let found = analyze(script.packets())
    #expect(found.messages.filter { $0.message.connection == 1 }.allSatisfy { $0.exactness == .exact })
    #expect(found.messages.filter { $0.message.connection == 2 }.allSatisfy { $0.exactness != .exact })
    #expect(found.connections.map(\.joined) == [nil, nil])
  }

  /// A handshake without the client's key, a token that fits nothing, and numbers that do not follow from the keys: the streams are put
  /// together all the same, and no row is exact.
  @Test func connectionWithoutKeys() {
    var script = MultipathScript()
    script.open()
    let second = script.join(hasProof: false, isAtFirstAddress: true)
    // The confirmation of the handshake, and the request's token.
    script.segments[2].options = []
    script.segments[3].options.replaceSubrange(4..<8, with: [0xaa, 0xbb, 0xcc, 0xdd])
    script.countsFromOne = true
    script.send(.client, on: 0, HTTP.get("/a0"))
    let answer = Array(HTTP.ok(HTTP.body(3000)).utf8)
    script.send(.server, on: 0, Array(answer[..<1000]))
    script.send(.server, on: second, Array(answer[1000...]))
    for number in 0..<2 {
      script.send(.client, on: 0, HTTP.get("/b\(number)"))
      script.send(.server, on: 0, HTTP.ok(HTTP.body(number)))
    }
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /a0 200", "GET /b0 200", "GET /b1 200"])
    #expect(found.messages[1].octets.total == answer.count)
    #expect(found.messages.allSatisfy { $0.exactness == .inferred && $0.pairing == .inferred })
    #expect(found.anomalies[.tcpMultipathNotFollowed] == 1 && found.ledger[.opaque] == 0)
  }

  /// A subflow that was not captured leaves a gap. Rows behind it are exact again.
  @Test func subflowThatWasNotCaptured() {
    var script = MultipathScript()
    script.open()
    script.send(.client, on: 0, HTTP.get("/a"))
    let answer = Array(HTTP.ok(HTTP.body(3000)).utf8)
    script.send(.server, on: 0, Array(answer[..<1000]))
    script.send(.server, on: 0, Array(answer[1000..<2000]), isCaptured: false)
    script.sent[.server] = 2000
    script.send(.server, on: 0, Array(answer[2000...]))
    for number in 0..<3 {
      script.now += 2_000_000_000
      script.send(.client, on: 0, HTTP.get("/b\(number)"))
      script.send(.server, on: 0, HTTP.ok("b"))
    }
    let found = analyze(script.packets())
    #expect(found.pairs == ["GET /a 200", "GET /b0 200", "GET /b1 200", "GET /b2 200"])
    #expect(found.messages[1].exactness == .inferred && found.messages[1].message.missing == 1000)
    #expect(found.messages.suffix(4).allSatisfy { $0.exactness == .exact })
  }

  /// Exchanges in pieces on up to four subflows: sent again on others, captured in another order, lost from the capture.
  @Test(arguments: RandomCases.seeds(0..<400))
  func randomPaths(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var script = MultipathScript(version: UInt8(random.number(0..<2)))
    (script.hasLongNumbers, script.hasChecksums) = (random.chance(0.5), random.chance(0.3))
    script.open()
    var paths = [0]
    var (truth, repeated): ([Int], Int) = ([], 0)
    let isLossy = seed % 3 == 0
    var offsets: [Peer: Int] = [.client: 0, .server: 0]
    for number in 0..<random.number(3..<20) {
      if paths.count < 4, random.chance(0.4), number > 0 {
        paths.append(script.join(by: random.chance(0.8) ? .client : .server))
      }
      for (peer, text) in [
        (Peer.client, HTTP.get("/\(number)")), (.server, HTTP.ok(HTTP.body(random.number(0..<5000)))),
      ] {
        let octets = Array(text.utf8)
        truth.append(octets.count)
        let base = offsets[peer] ?? 0
        var from = 0
        while from < octets.count {
          let to = min(octets.count, from + random.number(1..<1500))
          let path = paths[random.number(0..<paths.count)]
          let isLost = isLossy && random.chance(0.05)
          script.send(peer, on: path, Array(octets[from..<to]), at: base + from, isCaptured: !isLost)
          if random.chance(0.1) {
            let start = random.number(0..<to)
            script.send(peer, on: paths[random.number(0..<paths.count)], Array(octets[start..<to]), at: base + start)
            if !isLost { repeated += to - start }
          }
          from = to
        }
        offsets[peer] = base + octets.count
        if random.chance(0.3) { script.acknowledge(peer.other, on: paths[random.number(0..<paths.count)]) }
      }
    }
    script.end(.client, on: paths[0])
    script.end(.server, on: paths[0])
    for path in paths { script.close(path, isReset: random.chance(0.2)) }
    // Neighbors are captured in the other order, but for those that open and close.
    if random.chance(0.5) {
      for index in 1..<script.segments.count where random.chance(0.2) {
        let pair = [script.segments[index - 1], script.segments[index]]
        guard pair.allSatisfy({ !$0.payload.isEmpty }) else { continue }
        script.segments[index - 1] = pair[1]
        script.segments[index] = pair[0]
        (script.segments[index - 1].time, script.segments[index].time) = (pair[0].time, pair[1].time)
      }
    }
    let found = analyze(script.packets())
    guard isLossy else {
      #expect(found.messages.map(\.octets.total) == truth)
      expectExact(found)
      #expect(found.messages.map(\.message.retransmitted).reduce(0, +) == repeated)
      #expect(found.exchanges.allSatisfy { $0.request != nil && $0.response != nil && $0.pairing == .exact })
      return
    }
    for message in found.messages where message.exactness == .exact {
      let number = Int(message.path.dropFirst()) ?? -1
      guard message.path.hasPrefix("/"), number >= 0 else { continue }
      #expect(message.octets.total == truth[2 * number + (message.kind == .request ? 0 : 1)])
    }
  }

  /// Subflows and mappings by the thousand take bounded memory.
  @Test func manySubflowsAndMappings() {
    var script = MultipathScript()
    script.step = 1000
    script.open()
    var paths = [0]
    for _ in 0..<200 { paths.append(script.join()) }
    for number in 0..<3000 {
      let path = paths[number % paths.count]
      script.send(.client, on: path, [65], at: 2 * number + 1)
    }
    let found = analyze(script.packets())
    #expect(found.mostConnectionOctets < 8 << 20)
    #expect(found.connections.count == 201)
  }
}
