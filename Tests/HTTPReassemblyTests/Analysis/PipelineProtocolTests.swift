import HTTPReassembly
import TestSupport
import Testing

/// Tunnels, and connections that are not HTTP, or not only.
@Suite struct PipelineProtocolTests {
  private static let connect = "CONNECT b.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n"
  private static let upgrade = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"

  private static let deadlock: Comment =
    "octets sent after CONNECT or Upgrade wait for the answer, and an answer that acknowledges them waits for them"

  // MARK: CONNECT

  @Test func connectOpensATunnel() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.connect)
    dialogue.send(.server, "HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\n")
    dialogue.send(.client, [0x16, 3, 1, 0, 2, 1, 2])
    dialogue.send(.server, [0x16, 3, 3, 0, 3, 1, 2, 3])
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.tunnel] == 0 && analysis.ledger.tlsHandshake == 15)
    #expect(analysis.requests.first?.host == "b.example:443")
    #expect(analysis.requests.first?.path == "")
    #expect(analysis.requests.first?.hostSource == .target)
    #expect(analysis.responses.first?.flags == .switchedProtocols)
    #expect(analysis.responses.first?.octets.body == 0)
    #expect(analysis.connection.flags.contains(.tunnel))
    #expect(analysis.connection.handshake == 15 + 2 * overhead4 && analysis.connection.unattributed == 0)
  }

  /// What only begins like TLS stays the tunnel's, however it is cut; and so does what comes after a limit of sessions.
  @Test func whatOnlyBeginsLikeTLSIsTheTunnels() {
    let octets: [UInt8] = [0x16, 3, 9, 1, 2, 3, 4, 5, 0x0a, 7, 8]
    for cut in 0..<octets.count {
      var dialogue = Dialogue.opened()
      dialogue.send(.client, Self.connect)
      dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
      if cut > 0 { dialogue.send(.client, Array(octets[..<cut])) }
      dialogue.send(.client, Array(octets[cut...]))
      dialogue.repeatSegment(-1)
      dialogue.send(.server, [0x15])
      dialogue.close()
      let analysis = analyze(dialogue)
      #expect(analysis.ledger[.tunnel] == octets.count + 1 && analysis.ledger[.tls] == 0, "\(cut)")
      #expect(analysis.connection.security == nil && analysis.connection.handshake == 0, "\(cut)")
    }
  }

  /// A hole where the tunnel begins: TLS is found by its next hello, or because the other side is TLS.
  @Test func aHoleWhereTheTunnelBegins() {
    let serverHello: [UInt8] = [0x16, 3, 3, 0, 6, 2, 0, 0, 2, 3, 3]
    for isTold in [true, false] {
      var dialogue = Dialogue.opened()
      dialogue.send(.client, Self.connect)
      dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
      dialogue.send(.client, [UInt8](repeating: 9, count: 40), isCaptured: false)
      dialogue.send(.server, isTold ? serverHello : [0x17, 3, 3, 0, 2, 1, 2])
      dialogue.send(.client, [0x16, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3])
      dialogue.close()
      let analysis = analyze(dialogue)
      #expect(analysis.ledger[.tunnel] == 0 && analysis.ledger[.tls] == (isTold ? 22 : 18))
      #expect(analysis.connection.missing == 40)
    }
  }

  @Test func connectThatIsRefused() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.connect)
    dialogue.send(.server, "HTTP/1.1 407 Authenticate\r\nContent-Length: 2\r\n\r\nno")
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["CONNECT  407", "GET /b 200"])
    #expect(analysis.ledger[.tunnel] == 0)
    #expect(!analysis.connection.flags.contains(.tunnel))
  }

  @Test func httpInsideATunnel() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.connect)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
    for path in ["/1", "/2"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(path))
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["CONNECT  200", "GET /1 200", "GET /2 200"])
    #expect(analysis.request("/1")?.flags == .tunnelled)
    #expect(analysis.response("/2")?.flags == .tunnelled)
    #expect(analysis.ledger[.tunnel] == 0)
  }

  @Test func optimisticDataAfterConnect() {
    for (status, tunnel) in [("200 OK", 20), ("503 No", 0)] {
      var dialogue = Dialogue.opened()
      dialogue.send(.client, Self.connect)
      dialogue.send(.client, status == "200 OK" ? "\u{1}\u{2}" + HTTP.body(18) : HTTP.get("/b"))
      dialogue.send(.server, "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
      dialogue.close()
      let analysis = analyze(dialogue)
      #expect(analysis.requests.count == (tunnel == 0 ? 2 : 1))
      #expect(analysis.ledger[.tunnel] == tunnel)
      #expect(analysis.ledger[.stray] == 0)
    }
  }

  @Test func optimisticDataInTheSegmentOfTheConnect() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.connect + "\u{1}\u{2}" + HTTP.body(18))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n\u{3}\u{4}")
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.tunnel] == 22)
    #expect(analysis.requests.first?.overhead == overhead4)
  }

  @Test func optimisticDataWhoseAnswerTakesTwoSeconds() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.connect)
    dialogue.send(.client, "\u{1}\u{2}" + HTTP.body(18))
    dialogue.wait(2_000_000_000)
    dialogue.acknowledge(.server)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
    dialogue.send(.client, "\u{1}\u{2}" + HTTP.body(18))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.tunnel] == 40)
    #expect(analysis.ledger[.stray] == 0)
  }

  @Test func optimisticDataThatTheAnswerDoesNotAcknowledge() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.connect)
    let acknowledged = dialogue.received
    dialogue.send(.client, "\u{1}\u{2}" + HTTP.body(18))
    dialogue.received = acknowledged
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
    dialogue.close()
    #expect(analyze(dialogue).ledger[.tunnel] == 20)
  }

  @Test func anAnswerIsReadAtOnceThoughMoreThanItsRequestWasSent() {
    // What the pipeline knows while the connection is still open.
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/ws", fields: Self.upgrade) + HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("plain") + HTTP.ok("2"))
    var pipeline = Pipeline(sink: CollectingSink())
    for packet in dialogue.packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    #expect(pipeline.ledger.pending == 0)
    pipeline.finishConnections()
  }

  // MARK: Upgrade

  @Test func upgradeOpensATunnel() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/ws", fields: Self.upgrade))
    dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(Self.upgrade)\r\n\u{1}early")
    dialogue.send(.client, "\u{1}data")
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /ws 101"])
    #expect(analysis.responses.first?.kind == .response)
    #expect(analysis.responses.first?.flags == .switchedProtocols)
    #expect(analysis.ledger[.tunnel] == 11)
  }

  /// Octets of the tunnel, headers of their segments and their acknowledgments belong to the messages that opened it.
  @Test func anUpgradedTunnelBelongsToItsMessages() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/ws", fields: Self.upgrade))
    dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(Self.upgrade)\r\n\u{1}early")
    dialogue.send(.client, "\u{1}data")
    dialogue.repeatSegment(-1)
    dialogue.acknowledge(.server)
    dialogue.send(.server, "\u{1}\nlater")
    dialogue.close()
    let analysis = analyze(dialogue)
    let (request, response) = (analysis.requests[0], analysis.responses[0])
    #expect(request.tunnel == 5 && response.tunnel == 13)
    #expect(request.retransmitted == 5 && response.retransmitted == 0)
    // The request's segments are its own, the tunnel's, the repeated one, and the server's acknowledgment.
    #expect(request.overhead == 4 * overhead4 && response.overhead == 2 * overhead4)
    #expect(request.exactness == .exact && response.exactness == .exact)
    #expect(analysis.ledger[.tunnel] == 18 && analysis.connection.unattributed == 0)
    #expect(analysis.exchanges.first?.tunnelLength == 18)
    #expect(request.ipLength == request.octets.total + 5 + 5 + request.overhead)
  }

  /// Octets of the tunnel that were not captured are missing from its message, which is not exact.
  @Test func aHoleInAnUpgradedTunnelIsItsMessages() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/ws", fields: Self.upgrade))
    dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(Self.upgrade)\r\n")
    dialogue.send(.client, [UInt8](repeating: 9, count: 40), isCaptured: false)
    dialogue.acknowledge(.server)
    dialogue.send(.client, "\u{1}data")
    dialogue.close()
    let analysis = analyze(dialogue)
    let request = analysis.requests[0]
    #expect(request.tunnel == 5 && request.missing == 40 && request.exactness == .inferred)
    #expect(analysis.responses[0].tunnel == 0 && analysis.responses[0].exactness == .exact)
    #expect(analysis.connection.missing == 40 && analysis.connection.unattributed == 0)
  }

  /// The inside of a CONNECT's tunnel is a connection of its own, and a message inside a tunnel ends what the opener owns.
  @Test func aTunnelEndsWhereAnotherOwnsItsOctets() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.connect)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
    dialogue.send(.client, "\u{1}data")
    dialogue.close()
    var analysis = analyze(dialogue)
    #expect(analysis.ledger[.tunnel] == 5 && analysis.requests[0].tunnel == 0)
    #expect(analysis.connection.unattributed == 5 + overhead4)

    dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/old", fields: Self.upgrade))
    dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(Self.upgrade)\r\n")
    dialogue.send(.client, HTTP.get("/new"))
    dialogue.send(.server, HTTP.ok("new"))
    dialogue.close()
    analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /old 101", "GET /new 200"])
    #expect(analysis.requests[0].tunnel == 0 && analysis.requests[0].overhead == overhead4)
    #expect(analysis.request("/new")?.overhead == overhead4 && analysis.ledger[.tunnel] == 0)
  }

  @Test func upgradeThatIsIgnored() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/ws", fields: Self.upgrade) + HTTP.get("/2"))
    dialogue.send(.server, "HTTP/1.1 100 Continue\r\n\r\n" + HTTP.ok("plain") + HTTP.ok("2"))
    dialogue.send(.client, HTTP.get("/3"))
    dialogue.send(.server, HTTP.ok("3"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /ws 200", "GET /2 200", "GET /3 200"])
    #expect(analysis.ledger[.tunnel] == 0)
    #expect(analysis.ledger[.stray] == 0)
  }

  @Test func upgradeAfterPipelinedRequests() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1") + HTTP.get("/ws", fields: Self.upgrade))
    dialogue.send(.client, "\u{1}data")
    dialogue.send(.server, HTTP.ok("1"))
    dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(Self.upgrade)\r\n")
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200", "GET /ws 101"])
    #expect(analysis.ledger[.tunnel] == 5)
  }

  // MARK: Not HTTP

  private func stream(_ client: [[UInt8]], _ server: [[UInt8]]) -> Analysis {
    var dialogue = Dialogue.opened()
    for index in 0..<max(client.count, server.count) {
      if index < server.count { dialogue.send(.server, server[index]) }
      if index < client.count { dialogue.send(.client, client[index]) }
    }
    dialogue.close()
    return analyze(dialogue)
  }

  private static func lines(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test func smtp() {
    let analysis = stream(
      Self.lines("EHLO a.example\r\n", "MAIL FROM:<a@a.example>\r\n", "QUIT\r\n"),
      Self.lines("220 a.example ESMTP\r\n", "250 OK\r\n", "250 OK\r\n"))
    #expect(analysis.messages.isEmpty)
    #expect(analysis.connection.applicationProtocol == .other)
    #expect(analysis.ledger[.opaque] == 16 + 25 + 6 + 21 + 8 + 8)
  }

  @Test func ssh() {
    let analysis = stream(
      [Array("SSH-2.0-x\r\n".utf8), [0, 0, 1, 2, 0xff]], [Array("SSH-2.0-y\r\n".utf8), [0, 0, 1, 2, 0xff]])
    #expect(analysis.messages.isEmpty)
    #expect(analysis.ledger[.opaque] == 32)
  }

  @Test func binary() {
    let analysis = stream([[0, 1, 2, 3], Array(0...255)], [[0xff, 0xfe], Array(repeating: 0x0a, count: 20)])
    #expect(analysis.messages.isEmpty)
    #expect(analysis.ledger[.opaque] == 4 + 256 + 2 + 20)
    #expect(analysis.connection.unattributed == 282 + 4 * overhead4)
  }

  @Test func http2Preface() {
    let analysis = stream(
      [Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]], [[0, 0, 0, 4, 0, 0, 0, 0, 0]])
    #expect(analysis.messages.isEmpty)
    #expect(analysis.connection.applicationProtocol == .http2)
    #expect(analysis.ledger[.control] == 24 + 9 + 9)
  }

  @Test func proxyProtocolLineThenHTTP() {
    let line = "PROXY TCP4 192.0.2.1 198.51.100.1 40000 80\r\n"
    let analysis = stream(Self.lines(line + HTTP.get("/a")), [])
    #expect(analysis.requests.map(\.path) == ["/a"])
    #expect(analysis.ledger[.stray] == line.utf8.count)
    let apart = stream(Self.lines(line, HTTP.get("/a")), [[], Array(HTTP.ok("a").utf8)])
    #expect(apart.requests.map(\.path) == ["/a"])
    #expect(apart.ledger[.stray] == line.utf8.count)
  }

  @Test func socksThenHTTP() {
    let analysis = stream(
      [[5, 1, 0], [5, 1, 0, 1, 192, 0, 2, 1, 0, 80], Array(HTTP.get("/a").utf8)],
      [[5, 0], [5, 0, 0, 1, 0, 0, 0, 0, 0, 0], Array(HTTP.ok("a").utf8)])
    #expect(analysis.requests.map(\.path) == ["/a"])
    #expect(analysis.responses.count == 1)
    #expect(analysis.connection.applicationProtocol == .http1)
    #expect(analysis.ledger[.stray] == 3 + 10 + 2 + 10)
  }

  // MARK: TLS

  private static func record(_ type: UInt8, _ count: Int) -> [UInt8] {
    [type, 3, 3, UInt8(count >> 8), UInt8(count & 0xff)] + Array(repeating: 0xaa, count: count)
  }

  @Test(arguments: [1, 3, 5, 7, 100, 1400])
  func tlsRecordsInAnyPieces(_ size: Int) {
    let client = Self.record(22, 200) + Self.record(20, 1) + Self.record(23, 300) + Self.record(21, 2)
    let server = Self.record(22, 2000) + Self.record(23, 0) + Self.record(23, 5000)
    var dialogue = Dialogue.opened()
    for (peer, octets) in [(Peer.client, client), (.server, server)] {
      for start in stride(from: 0, to: octets.count, by: size) {
        dialogue.send(peer, Array(octets[start..<min(start + size, octets.count)]))
      }
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.connection.applicationProtocol == .tls)
    #expect(analysis.ledger[.tls] == client.count + server.count)
    #expect(analysis.ledger.tlsHandshake == 205 + 6 + 2005)
    #expect(analysis.ledger.tlsApplicationData == 305 + 5 + 5005)
    #expect(analysis.ledger.tlsOther == 7)
    #expect(analysis.ledger[.opaque] == 0)
  }

  @Test func tlsWithAHoleInARecord() {
    var dialogue = Dialogue.opened()
    let octets = Self.record(22, 100) + Self.record(23, 1000) + Self.record(23, 50)
    dialogue.send(.client, Array(octets[..<300]))
    dialogue.send(.client, Array(octets[300..<500]), isCaptured: false)
    dialogue.send(.client, Array(octets[500...]))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.tls] == octets.count - 200)
    #expect(analysis.ledger.tlsApplicationData == 1005 + 55 - 200)
    #expect(analysis.connection.missing == 200)
  }

  /// A record whose header cannot be seen ends what is known of records: nothing that comes later is a handshake.
  @Test func tlsAfterAHeaderThatWasNotCaptured() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.record(22, 100))
    dialogue.send(.client, Self.record(23, 40) + Self.record(23, 40), uncaptured: 60)
    dialogue.send(.client, Self.record(22, 70))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.tls] == 105 + 90 + 75)
    #expect(analysis.ledger.tlsHandshake == 105)
    #expect(analysis.connection.applicationProtocol == .tls)
  }

  @Test func lateOctetsOfATLSStreamAreTLS() {
    var dialogue = Dialogue.opened()
    let octets = Self.record(22, 100) + Self.record(23, 1000)
    dialogue.send(.client, Array(octets[..<300]))
    dialogue.send(.client, Array(octets[300..<500]))
    let lost = dialogue.segments.removeLast()
    dialogue.send(.client, Array(octets[500...]))
    dialogue.acknowledge(.server)
    dialogue.wait(5_000_000_000)
    dialogue.acknowledge(.server)
    dialogue.capture(lost)
    let analysis = analyze(dialogue)
    #expect(analysis.connection.missing == 0)
    #expect(analysis.ledger[.tls] == octets.count)
  }

  @Test func whatOnlyStartsLikeTLSIsOpaque() {
    let analysis = stream([[22, 3, 1, 0xff, 0xff] + Array(repeating: 1, count: 30)], [[22], [9], [9, 9, 9, 9, 9]])
    #expect(analysis.ledger[.opaque] == 35 + 7)
    #expect(analysis.connection.applicationProtocol == .other)
    #expect(analysis.ledger.tlsOther == 0)
  }

  @Test func octetsLikeTLSThenHTTP() {
    let analysis = stream([[22, 9, 9, 9, 9, 9], Array(HTTP.get("/a").utf8)], [])
    #expect(analysis.requests.map(\.path) == ["/a"])
    #expect(analysis.ledger[.stray] == 6)
  }
}
