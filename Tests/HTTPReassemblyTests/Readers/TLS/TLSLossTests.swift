import HTTPReassembly
import TestSupport
import Testing

/// What is known of HTTP/1 inside TLS without some of its packets (MEASURES §10). The whole capture is the truth.
@Suite struct TLSLossTests {
  /// How many rows and pairs of mutilated captures are right.
  struct Tally {
    var exact = 0
    var pairs = (exact: 0, inferred: 0, wrong: 0)
    var possible = 0
    /// The number of responses without a request though both were found.
    var unpaired = 0
    /// The inferred pairs that are wrong.
    var wrong: [String] = []
    var faults: [String] = []

    /// Adds the figures of other captures.
    mutating func add(_ other: Tally) {
      exact += other.exact
      pairs.exact += other.pairs.exact
      pairs.inferred += other.pairs.inferred
      pairs.wrong += other.pairs.wrong
      possible += other.possible
      unpaired += other.unpaired
      wrong += other.wrong
      faults += other.faults
    }

    /// Compares the rows of a mutilated capture with those of the whole one.
    mutating func add(_ found: Analysis, _ whole: Analysis) {
      let requests = Dictionary(whole.requests.map { ($0.path, $0) }) { first, _ in first }
      let responses = Dictionary(whole.responses.map { ($0.content[0], $0) }) { first, _ in first }
      possible += whole.responses.count
      let seen = Set(found.requests.map(\.path))
      for row in found.messages {
        let isRequest = row.kind == .request
        let truth = isRequest ? requests[row.path] : responses[row.content[0]]
        if row.exactness == .exact {
          exact += 1
          let isRight = truth.map {
            $0.octets == row.octets && $0.status == row.status && $0.decodedBody == row.decodedBody
          }
          if isRight != true || isRequest && (row.host != truth?.host || row.method != truth?.method) {
            faults.append("exact, and wrong: \(row); true: \(truth, default: "none")")
          }
        }
        guard !isRequest, !row.content[0].isEmpty else { continue }
        guard !row.path.isEmpty else {
          if seen.contains("/" + row.content[0].dropFirst(2)) { unpaired += 1 }
          continue
        }
        let isOwn = row.path == "/" + row.content[0].dropFirst(2)
        switch row.pairing {
        case .exact:
          pairs.exact += 1
          if !isOwn { faults.append("a pair that is exact, and wrong: \(row.content[0]) to \(row.path)") }
        case .inferred:
          pairs.inferred += 1
          if !isOwn {
            pairs.wrong += 1
            wrong.append("\(row.content[0]) to \(row.path)")
          }
        case .unknown: faults.append("a pair without a label: \(row.path)")
        }
      }
    }
  }

  private func analysis(_ segments: [Segment], _ secrets: [UInt8]) -> Analysis {
    Analysis(segments.map { $0.packet() }, secrets: secrets)
  }

  @Test func theWholeDialoguesAreExact() {
    for kind in TLSDialogue.Kind.all {
      let dialogue = TLSDialogue(kind, exchanges: 30, seed: 7)
      let whole = analysis(dialogue.segments, dialogue.secrets)
      #expect(whole.violations == [], "\(kind.name)")
      #expect(whole.messages.count == 60, "\(kind.name)")
      #expect(whole.messages.allSatisfy { $0.exactness == .exact && $0.pairing == .exact }, "\(kind.name)")
      #expect(whole.responses.allSatisfy { $0.path == "/" + $0.content[0].dropFirst(2) }, "\(kind.name)")
      #expect(whole.ledger.tlsApplicationData == 0, "\(kind.name)")
    }
  }

  /// More messages than linger share a record: its octets and those of its segments are theirs.
  @Test(arguments: [30, 40, 600])
  func manyMessagesInARecord(_ count: Int) {
    var dialogue = Dialogue.opened()
    var writer = TLSWriter(version: 0x0304, seed: 3)
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    dialogue.send(.server, writer.serverHello() + writer.serverFlight())
    dialogue.send(.client, writer.clientFinish())
    let requests = writer.data(.client, Array((1...count).map { "GET /\($0) HTTP/1.1\r\n\r\n" }.joined().utf8))
    for start in stride(from: 0, to: requests.count, by: 1000) {
      dialogue.send(.client, Array(requests[start..<min(start + 1000, requests.count)]))
    }
    dialogue.send(.server, writer.data(.server, Array((1...count).map { HTTP.ok("\($0)") }.joined().utf8)))
    let analysis = Analysis(dialogue.packets(), secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [] && analysis.messages.count == 2 * count)
    let records = analysis.messages.reduce(0) { $0 + $1.tls }
    #expect(records == analysis.ledger.tlsRecord && records > 0)
    let segments = (requests.count + 999) / 1000 + 1
    #expect(analysis.messages.reduce(0) { $0 + $1.overhead } == segments * overhead4)
  }

  /// Behind lost octets a record of the client is found under later keys, while the server's answer to early data is lost.
  @Test(arguments: [true, false]) func earlyDataMayHaveNoAnswer(_ isAlone: Bool) throws {
    let kind = try #require(TLSDialogue.Kind.all.first { $0.name.contains("early data") })
    for seed in 0..<4 {
      let dialogue = TLSDialogue(kind, exchanges: 12, seed: seed)
      let hello = try #require(dialogue.segments.firstIndex { !$0.payload.isEmpty })
      let client = dialogue.segments[hello].source
      for start in hello + 1..<dialogue.segments.count {
        let rest = dialogue.segments[start...].filter { !isAlone || $0.source == client }
        let found = analysis(Array(dialogue.segments[...hello]) + rest, dialogue.secrets)
        #expect(found.violations == [], "seed \(seed), from \(start)")
      }
    }
  }

  /// A gap may have hundreds of records: the next one has a number that is so much higher.
  @Test(arguments: [0x0304, 0x0303] as [UInt16], [(100, 400), (1400, 300), (1 << 14, 60)])
  func manyRecordsMayBeLost(_ version: UInt16, _ records: (size: Int, count: Int)) throws {
    var dialogue = Dialogue.opened()
    var writer = TLSWriter(version: version, seed: 5)
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    if version == 0x0304 {
      dialogue.send(.server, writer.serverHello() + writer.serverFlight())
      dialogue.send(.client, writer.clientFinish())
    } else {
      dialogue.send(.server, writer.serverHello() + TLSWriter.record(22, TLSWriter.message(14, [])))
      writer.startMaster()
      let exchange = TLSWriter.record(22, TLSWriter.message(16, [32] + [UInt8](repeating: 7, count: 32)))
      dialogue.send(.client, exchange + writer.finish(.client))
      dialogue.send(.server, writer.finish(.server))
    }
    let content = String(repeating: "x", count: records.size * records.count)
    for number in 0..<4 {
      dialogue.send(.client, writer.data(.client, Array("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)))
      let response = writer.data(
        .server, Array(HTTP.ok(number == 1 ? content : "\(number)").utf8), size: records.size)
      for start in stride(from: 0, to: response.count, by: 1400) {
        let isLost = number == 1 && (response.count / 10..<response.count * 9 / 10).contains(start)
        dialogue.send(
          .server, Array(response[start..<min(start + 1400, response.count)]), isCaptured: !isLost)
      }
    }
    let found = Analysis(dialogue.packets(), secrets: Array(writer.log.utf8))
    #expect(found.violations == [] && found.messages.count == 8)
    #expect(found.messages.filter { $0.exactness == .exact && $0.pairing == .exact }.count == 7)
    let cut = try #require(found.responses.first { $0.path == "/1" })
    #expect(cut.octets.body + cut.missing == content.utf8.count && cut.missing > content.utf8.count / 2)
  }

  /// A lost update of keys shows by the record behind it.
  @Test(arguments: [Peer.client, .server]) func aLostKeyUpdate(_ peer: Peer) {
    var dialogue = Dialogue.opened()
    var writer = TLSWriter(version: 0x0304, seed: 9)
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    dialogue.send(.server, writer.serverHello() + writer.serverFlight())
    dialogue.send(.client, writer.clientFinish())
    for number in 1...8 {
      if number == 4 || number == 6 {
        let update = writer.protected(peer, TLSWriter.message(24, [0]), type: 22)
        dialogue.send(peer, update, isCaptured: number == 6)
        writer.updateKeys(peer)
      }
      dialogue.send(.client, writer.data(.client, Array(HTTP.get("/\(number)").utf8)))
      dialogue.send(.server, writer.data(.server, Array(HTTP.ok("\(number)").utf8)))
    }
    dialogue.close()
    let found = Analysis(dialogue.packets(), secrets: Array(writer.log.utf8))
    #expect(found.violations == [] && found.pairs == (1...8).map { "GET /\($0) 200" })
    #expect(found.messages.allSatisfy { $0.exactness == .exact && $0.pairing == .exact })
  }

  /// Data is lost directly before another handshake of TLS 1.2: its first record is found like one of data.
  @Test(arguments: [Peer.client, .server]) func dataLostBeforeARenegotiation(_ peer: Peer) {
    var dialogue = Dialogue.opened()
    var (writer, next) = (TLSWriter(version: 0x0303, seed: 5), TLSWriter(version: 0x0303, seed: 6))
    func handshake(_ record: [UInt8]) -> [UInt8] { Array(record[5...]) }
    let exchange = TLSWriter.message(16, [32] + [UInt8](repeating: 7, count: 32))
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    dialogue.send(.server, writer.serverHello() + TLSWriter.record(22, TLSWriter.message(14, [])))
    writer.startMaster()
    dialogue.send(.client, TLSWriter.record(22, exchange) + writer.finish(.client))
    dialogue.send(.server, writer.finish(.server))
    func exchanges(_ numbers: ClosedRange<Int>, _ writer: inout TLSWriter, lost: Int) {
      for number in numbers {
        let request = writer.data(.client, Array(HTTP.get("/\(number)").utf8))
        dialogue.send(.client, request, isCaptured: number != lost || peer != .client)
        let response = writer.data(.server, Array(HTTP.ok("\(number)").utf8))
        dialogue.send(.server, response, isCaptured: number != lost || peer != .server)
      }
    }
    exchanges(1...3, &writer, lost: 3)
    dialogue.send(.client, writer.protected(.client, handshake(next.clientHello(host: "h.example")), type: 22))
    let done = TLSWriter.message(14, [])
    dialogue.send(.server, writer.protected(.server, handshake(next.serverHello()) + done, type: 22))
    dialogue.send(
      .client, writer.protected(.client, exchange, type: 22) + writer.protected(.client, [1], type: 20))
    next.startMaster()
    // The new keys follow the sealed change of ciphers. The one that `finish` writes in clear is left out.
    dialogue.send(.client, Array(next.finish(.client).dropFirst(TLSWriter.changeCipherSpec.count)))
    dialogue.send(.server, writer.protected(.server, [1], type: 20))
    dialogue.send(.server, Array(next.finish(.server).dropFirst(TLSWriter.changeCipherSpec.count)))
    exchanges(4...8, &next, lost: 0)
    dialogue.close()
    let found = Analysis(dialogue.packets(), secrets: Array((writer.log + next.log).utf8))
    #expect(found.violations == [])
    #expect(found.pairs.suffix(5) == (4...8).map { "GET /\($0) 200" })
  }

  /// The answer to CONNECT is lost, and TLS follows: the tunnel is opened.
  @Test(arguments: [true, false]) func aLostAnswerToCONNECT(_ hasSecrets: Bool) {
    var dialogue = Dialogue.opened()
    var writer = TLSWriter(version: 0x0304, seed: 4)
    dialogue.send(.client, "CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 Connection established\r\n\r\n", isCaptured: false)
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    dialogue.send(.server, writer.serverHello() + writer.serverFlight())
    dialogue.send(.client, writer.clientFinish())
    for number in 1...4 {
      dialogue.send(.client, writer.data(.client, Array(HTTP.get("/\(number)").utf8)))
      dialogue.send(.server, writer.data(.server, Array(HTTP.ok("\(number)").utf8)))
    }
    dialogue.close()
    let found = Analysis(dialogue.packets(), secrets: hasSecrets ? Array(writer.log.utf8) : [])
    #expect(found.violations == [] && found.ledger[.stray] == 0 && found.ledger[.tls] > 0)
    #expect(found.connections.first?.security != nil)
    #expect(found.requests.dropFirst().map(\.path) == (hasSecrets ? (1...4).map { "/\($0)" } : []))
  }

  private static let mutilations = Mutilation.usual + [.snapLength(300)]

  @Test(arguments: mutilations.indices)
  func noRowAndNoPairIsExactAndWrong(_ index: Int) {
    let mutilation = Self.mutilations[index]
    var tally = Tally()
    for (number, kind) in TLSDialogue.Kind.all.enumerated() {
      var own = Tally()
      for seed in RandomCases.seeds(0..<24) {
        let dialogue = TLSDialogue(kind, exchanges: 40, seed: number + 16 * seed)
        let whole = analysis(dialogue.segments, dialogue.secrets)
        var random = SeededRandom(seed: UInt64(number * 1000 + seed * 10 + 1))
        let found = analysis(mutilation.apply(to: dialogue.segments, &random), dialogue.secrets)
        let before = (own.faults.count, own.wrong.count)
        own.faults += found.violations
        own.add(found, whole)
        if mutilation.losesNothing, found.messages.count != whole.messages.count {
          own.faults.append("\(found.messages.count) rows")
        }
        for index in before.0..<own.faults.count { own.faults[index] = "\(kind.name), \(seed): \(own.faults[index])" }
        for index in before.1..<own.wrong.count { own.wrong[index] = "\(kind.name), \(seed): \(own.wrong[index])" }
      }
      tally.add(own)
    }
    #expect(tally.faults.isEmpty, "\(tally.faults.prefix(5))")
    // One in a thousand is the aim, and the pairs of one seed are too few to show it: four may be wrong. With a snap length of 200 octets, where
    // most requests that are sent together are not seen, up to 3 % are.
    #expect(tally.pairs.wrong * 500 <= max(tally.pairs.inferred, 2000), "\(tally.pairs), \(tally.wrong.prefix(5))")
  }
}
