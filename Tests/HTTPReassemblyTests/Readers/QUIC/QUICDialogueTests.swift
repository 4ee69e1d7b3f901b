import TestSupport
import Testing

@testable import HTTPReassembly

/// Connections of QUIC that are opened with their secrets: what becomes of each octet, in whatever order packets come.
@Suite struct QUICDialogueTests {
  private typealias Sent = (peer: Peer, octets: [UInt8])

  private func analyze(_ packets: [TestPacket], _ writer: QUICWriter) -> Analysis {
    let analysis = Analysis(packets, secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [])
    return analysis
  }

  /// A handshake, then data of a protocol that is not read: its octets can be counted without HTTP/3.
  private func dialogue(_ writer: inout QUICWriter) -> [Sent] {
    var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    sent.append((.client, writer.packet(.client, .application, QUICWriter.stream(0, [1, 2, 3, 4], isLast: true))))
    let content = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    for start in stride(from: 0, to: 300, by: 100) {
      let frames = QUICWriter.stream(0, Array(content[start..<start + 100]), at: start, isLast: start == 200)
      sent.append((.server, writer.packet(.server, .application, frames)))
    }
    sent.append((.client, writer.packet(.client, .application, QUICWriter.acknowledgment(2))))
    return sent
  }

  private func kinds(_ analysis: Analysis) -> [Int] {
    let ledger = analysis.ledger
    return [
      ledger.quicHandshake, ledger.quicPacket, ledger.quicProtected, ledger[.retransmitted], ledger[.udp],
      ledger.missing,
    ]
  }

  @Test(arguments: [0x1301, 0x1303] as [UInt16]) func allPacketsAreOpened(_ suite: UInt16) throws {
    var writer = QUICWriter(seed: 3, suite: suite)
    let sent = dialogue(&writer)
    let analysis = analyze(QUICWriter.packets(sent), writer)
    let ledger = analysis.ledger
    #expect(ledger.quicProtected == 0 && ledger[.retransmitted] == 0 && ledger[.udp] == 0)
    let hello = writer.clientHello(host: "www.example.com", protocolName: "hq").count
    let answers = writer.serverHello().count + writer.serverFlight(protocolName: "hq").count
    #expect(ledger.quicHandshake == hello + answers + writer.finished().count)
    let connection = try #require(analysis.connections.first)
    #expect(analysis.connections.count == 1 && connection.security?.opening == .yes)
    #expect(connection.unopened == 0 && connection.missing == 0 && connection.flags == [])
  }

  /// Without secrets, all but Initial packets stay closed, as before.
  @Test func withoutSecretsOnlyInitialPacketsAreOpened() throws {
    var writer = QUICWriter(seed: 3)
    let sent = dialogue(&writer)
    let analysis = Analysis(QUICWriter.packets(sent))
    #expect(analysis.violations == [])
    let hello = writer.clientHello(host: "www.example.com", protocolName: "hq").count
    #expect(analysis.ledger.quicHandshake == hello + writer.serverHello().count)
    #expect(analysis.ledger.quicProtected > 0)
    #expect(analysis.connections.first?.security?.opening == .no)
  }

  /// A server that has lost its state ends a connection with a token, from its transport parameters or with a new ID. Nothing else does.
  @Test(arguments: [true, false]) func aTokenResetsTheConnection(_ isParameter: Bool) throws {
    let token = (0..<16).map { UInt8(100 + $0) }
    let others = (0..<30).map { UInt8(truncatingIfNeeded: 0x40 | $0 * 7) }
    for (end, from, isReset) in [
      (token, Peer.server, true), (token, .client, false), (token.dropLast() + [0], .server, false),
    ] {
      var writer = QUICWriter(seed: 9)
      var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq", resetToken: isParameter ? token : [])
      let frames = QUICWriter.stream(0, [1, 2, 3], isLast: true)
      let newID: [UInt8] = [0x18, 1, 0, 8] + [UInt8](repeating: 5, count: 8) + token
      sent.append((.server, writer.packet(.server, .application, frames + (isParameter ? [] : newID))))
      let whole = analyze(QUICWriter.packets(sent), writer).ledger
      sent.append((from, [0x41] + others + end))
      let analysis = analyze(QUICWriter.packets(sent), writer)
      let length = 1 + others.count + 16
      #expect(analysis.ledger.quicPacket == whole.quicPacket + (isReset ? length : 0))
      #expect(analysis.ledger.quicProtected == (isReset ? 0 : length))
      let connection = try #require(analysis.connections.first)
      #expect(connection.end == (isReset ? .rst : .captureEnd))
      #expect(connection.unopened == (isReset ? 0 : length))
    }
  }

  /// Every order of the datagrams gives each octet the same class.
  @Test func everyOrderGivesTheSame() {
    var writer = QUICWriter(seed: 5)
    let sent = dialogue(&writer)
    let expected = kinds(analyze(QUICWriter.packets(sent), writer))
    var random = SeededRandom(seed: 93)
    for _ in 0..<RandomCases.count(400) {
      var shuffled = sent.shuffled(using: &random)
      // A packet in short form does not show that it is QUIC.
      let first = shuffled.firstIndex { $0.octets[0] & 0x80 != 0 } ?? 0
      shuffled.swapAt(0, first)
      let analysis = analyze(QUICWriter.packets(shuffled), writer)
      #expect(kinds(analysis) == expected)
      #expect(analysis.connections.count == 1)
    }
  }

  /// Secrets that come behind any packet open all that waited for them.
  @Test func secretsMayComeLater() {
    var writer = QUICWriter(seed: 7)
    let sent = QUICWriter.packets(dialogue(&writer))
    let expected = kinds(analyze(sent, writer))
    for place in 0...sent.count {
      var pipeline = Pipeline(sink: CollectingSink())
      pipeline.mayLearnSecrets = true
      for (index, packet) in sent.enumerated() {
        if index == place { pipeline.learn(Array(writer.log.utf8)) }
        packet.octets.withOctets { pipeline.process(packet.facts, $0) }
      }
      if place == sent.count { pipeline.learn(Array(writer.log.utf8)) }
      let waits = pipeline.waitsForSecrets
      #expect(!waits)
      pipeline.finishConnections()
      let ledger = pipeline.ledger
      #expect([ledger.quicHandshake, ledger.quicPacket, ledger.quicProtected] == Array(expected[..<3]))
      #expect(ledger.difference == 0 && ledger.pending == 0)
      let used = pipeline.totals.secrets.captures.used
      #expect(used == 4)
    }
  }

  /// Packets that wait for secrets that never come are closed after `secretPatience`.
  @Test func packetsDoNotWaitForever() {
    var writer = QUICWriter(seed: 8)
    let sent = QUICWriter.packets(dialogue(&writer))
    var pipeline = Pipeline(sink: CollectingSink())
    pipeline.mayLearnSecrets = true
    for packet in sent { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    var (waits, ledger) = (pipeline.waitsForSecrets, pipeline.ledger)
    #expect(waits && ledger.pending > 0)
    pipeline.pass(to: sent[0].timestamp + Configuration().secretPatience + 1_000_000_000)
    (waits, ledger) = (pipeline.waitsForSecrets, pipeline.ledger)
    #expect(!waits && ledger.pending == 0 && ledger.quicProtected > 0)
    pipeline.finishConnections()
    ledger = pipeline.ledger
    #expect(ledger.difference == 0)
  }

  /// A datagram that was captured twice is `retransmitted`, whole.
  @Test func copiesAreRetransmitted() {
    var writer = QUICWriter(seed: 9)
    let sent = dialogue(&writer)
    let expected = kinds(analyze(QUICWriter.packets(sent), writer))
    for index in sent.indices {
      var again = sent
      again.insert(sent[index], at: sent.count)
      let found = kinds(analyze(QUICWriter.packets(again), writer))
      #expect(found == [expected[0], expected[1], 0, sent[index].octets.count, 0, 0])
    }
  }

  /// Stream data in another packet is `retransmitted`, and what is new in it is not.
  @Test func dataSentAgainIsRetransmitted() {
    var writer = QUICWriter(seed: 10)
    var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    let content = [UInt8](repeating: 7, count: 100)
    for (start, end) in [(0, 60), (40, 80), (90, 100), (70, 95)] {
      let frames = QUICWriter.stream(0, Array(content[start..<end]), at: start, isLast: end == 100)
      sent.append((.client, writer.packet(.client, .application, frames)))
    }
    let analysis = analyze(QUICWriter.packets(sent), writer)
    #expect(analysis.ledger[.retransmitted] == 20 + 10 + 5 && analysis.ledger.missing == 0)
    #expect(analysis.connections.first?.retransmitted == 35)
  }

  /// Both sides update their keys many times; packets of the phase before come late, and whole phases are lost.
  @Test(arguments: [0, 1, 3]) func keysAreUpdated(_ lost: Int) {
    var writer = QUICWriter(seed: 11)
    var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    var position = 0
    for round in 0..<12 {
      for peer in [Peer.client, .server] {
        let old = writer.packet(peer, .application, QUICWriter.stream(0, [1], at: position))
        writer.updateKeys(peer)
        let new = writer.packet(peer, .application, QUICWriter.stream(0, [2], at: position + 1))
        // With no phase lost, the last packet of a phase comes behind the first of the next.
        if lost == 0 {
          sent += [(peer, new), (peer, old)]
        } else if round % (lost + 1) == 0 {
          sent.append((peer, new))
        }
      }
      position += 2
    }
    let ledger = analyze(QUICWriter.packets(sent), writer).ledger
    #expect(ledger.quicProtected == 0)
  }

  /// Packet numbers are found behind many lost packets, although only their low bits are sent.
  @Test func numbersAreFoundBehindLostPackets() {
    var writer = QUICWriter(seed: 12)
    var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    for number in [0, 1, 700, 701, 2500] {
      let frames = QUICWriter.stream(0, [1], at: number)
      sent.append((.server, writer.packet(.server, .application, frames, number: number, numberLength: 1)))
    }
    #expect(analyze(QUICWriter.packets(sent), writer).ledger.quicProtected == 0)
  }

  /// A gap ends at the end of the capture. What lies behind it is counted.
  @Test func lostDataIsMissing() throws {
    var writer = QUICWriter(seed: 13)
    var sent = dialogue(&writer)
    sent.remove(at: 5)
    let analysis = analyze(QUICWriter.packets(sent), writer)
    #expect(analysis.ledger.missing == 100 && analysis.ledger.quicProtected == 0)
    let connection = try #require(analysis.connections.first)
    #expect(connection.missing == 100 && connection.flags.contains(.holes))
  }

  /// A gap is given up after a minute. Octets of it that come after that are not missing any more, and nothing is repeated.
  @Test func lostDataMayComeVeryLate() throws {
    var writer = QUICWriter(seed: 19)
    let sent = dialogue(&writer)
    var packets = QUICWriter.packets(sent)
    var late = packets.remove(at: 5)
    let last = packets[packets.count - 1].timestamp
    var ping = QUICWriter.packets([(.client, writer.packet(.client, .application, [1]))])[0]
    ping.timestamp = last + Configuration().holeTimeout + 1_000_000
    late.timestamp = ping.timestamp + 1_000_000
    let lost = analyze(packets + [ping], writer)
    #expect(lost.ledger.missing == 100)
    let found = analyze(packets + [ping, late], writer)
    #expect(found.ledger.missing == 0 && found.ledger[.retransmitted] == 0)
    #expect(found.ledger.quicPacket == lost.ledger.quicPacket + sent[5].octets.count)
  }

  /// The client goes on from other addresses, with the server's first connection ID and with a further one.
  @Test func connectionsMigrate() {
    var writer = QUICWriter(seed: 14)
    var sent = dialogue(&writer)
    let count = sent.count
    for position in 4..<7 {
      sent.append((.client, writer.packet(.client, .application, QUICWriter.stream(4, [1], at: position - 4))))
      sent.append((.server, writer.packet(.server, .application, QUICWriter.stream(4, [1], at: position - 4))))
    }
    let moved = QUICWriter.packets(Array(sent[count...]), client: ([192, 0, 2, 9], 40_000), from: count)
    let analysis = analyze(QUICWriter.packets(Array(sent[..<count])) + moved, writer)
    #expect(analysis.connections.count == 1 && analysis.ledger[.udp] == 0 && analysis.ledger.quicProtected == 0)
    #expect(analysis.connections.first?.client.port == 50_000)
  }

  /// On a client's new path the server's packets are captured first, or the client's go to an ID that was lost.
  @Test(arguments: [false, true]) func theServerMayBeFirstOnANewPath(_ isIDLost: Bool) {
    var writer = QUICWriter(seed: 20)
    var packets = QUICWriter.packets(dialogue(&writer))
    let (client, server) = (([192, 0, 2, 9] as [UInt8], 50_123), ([198, 51, 100, 1] as [UInt8], 443))
    for position in 0..<3 {
      let time = 1_700_000_000_000_000_000 + Int64(100 + position) * 1_000_000
      let frames = QUICWriter.stream(4, [1], at: position)
      let answer = writer.packet(.server, .application, frames)
      let id: [UInt8]? = isIDLost ? [UInt8](repeating: 9, count: 8) : nil
      let request = writer.packet(.client, .application, frames, to: id)
      packets.append(.datagram(answer, from: server, to: client, at: time))
      packets.append(.datagram(request, from: client, to: server, at: time + 1000))
    }
    let analysis = analyze(packets, writer)
    #expect(analysis.connections.count == 1 && analysis.ledger[.udp] == 0 && analysis.ledger.quicProtected == 0)
    #expect(analysis.connections.first?.packets.server == 7)
  }

  /// A server prefers another address, and its hello has the ID of the packets to it (RFC 9000 §9.6).
  @Test func serversPreferAddresses() {
    let id = (0..<9).map { UInt8(200 + $0) }
    var writer = QUICWriter(seed: 18)
    var packets = QUICWriter.packets(QUICWriter.opening(&writer, protocolName: "hq", preferredID: id))
    let (client, server) = (([192, 0, 2, 1] as [UInt8], 50_000), ([198, 51, 100, 7] as [UInt8], 4433))
    for position in 0..<3 {
      let time = 1_700_000_000_000_000_000 + Int64(10 + position) * 1_000_000
      let frames = QUICWriter.stream(0, [1], at: position)
      let request = writer.packet(.client, .application, frames, to: id)
      packets.append(.datagram(request, from: client, to: server, at: time))
      packets.append(
        .datagram(writer.packet(.server, .application, frames), from: server, to: client, at: time + 1000))
    }
    let analysis = analyze(packets, writer)
    #expect(analysis.connections.count == 1 && analysis.ledger[.udp] == 0 && analysis.ledger.quicProtected == 0)
    #expect(analysis.connections.first?.server.port == 443)
    #expect(analysis.connections.first?.packets.server == 4)
  }

  /// The fixed bit of packets may be 0, also where it is all that shows a packet behind another one (RFC 9287 §3.1). Zeros there are padding.
  @Test(arguments: [0, 8], [false, true]) func theFixedBitMayBeGreased(_ idLength: Int, _ isLearned: Bool) {
    var found: [[Int]] = []
    for isGreased in [false, true] {
      var writer = QUICWriter(seed: 19, clientID: [UInt8](repeating: 9, count: idLength))
      writer.isGreased = isGreased
      var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
      sent[1].octets += writer.packet(.server, .application, QUICWriter.stream(3, [1, 2, 3]))
      sent[2].octets += writer.packet(.client, .application, QUICWriter.stream(0, [1, 2, 3, 4]))
      sent.append((.client, writer.packet(.client, .handshake, QUICWriter.acknowledgment(0))))
      sent[3].octets += [UInt8](repeating: 0, count: 60)
      sent.append((.server, writer.packet(.server, .application, QUICWriter.stream(0, [5, 6, 7], isLast: true))))
      let packets = QUICWriter.packets(sent)
      guard isLearned else {
        found.append(kinds(analyze(packets, writer)))
        continue
      }
      var pipeline = Pipeline(sink: CollectingSink())
      pipeline.mayLearnSecrets = true
      for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
      pipeline.learn(Array(writer.log.utf8))
      pipeline.finishConnections()
      let ledger = pipeline.ledger
      found.append([
        ledger.quicHandshake, ledger.quicPacket, ledger.quicProtected, ledger[.retransmitted], ledger[.udp],
        ledger.missing,
      ])
      #expect(ledger.difference == 0)
    }
    #expect(found[0] == found[1] && found[0][2] == 0 && found[0][5] == 0)
  }

  /// The client's hello, the server's first datagram, or both hellos are lost: all else is opened, by trial of the secrets.
  @Test(arguments: [0x1301, 0x1303] as [UInt16], [[0], [1], [0, 1]]) func hellosMayBeLost(
    _ suite: UInt16, _ lost: [Int]
  ) throws {
    var log = ""
    // Secrets of others come first and last.
    for seed in [40, 41, 42] as [UInt8] { log += QUICWriter(seed: seed).log }
    var writer = QUICWriter(seed: 20, suite: suite)
    var sent = dialogue(&writer)
    for index in lost.reversed() { sent.remove(at: index) }
    let analysis = Analysis(
      QUICWriter.packets(sent), secrets: Array((log + writer.log + QUICWriter(seed: 43).log).utf8))
    #expect(analysis.violations == [])
    // The server's Initial packet has keys from the lost one's ID.
    var again = QUICWriter(seed: 20, suite: suite)
    let answer = again.packet(.server, .initial, QUICWriter.acknowledgment(0) + QUICWriter.crypto(again.serverHello()))
    let closed = lost == [0] ? answer.count : 0
    #expect(analysis.ledger.quicProtected == closed && analysis.ledger.missing == 0)
    let connection = try #require(analysis.connections.first)
    #expect(connection.client.port == 50_000 && connection.security?.suite == suite)
    #expect(connection.security?.opening == .yes)
    let other = Analysis(QUICWriter.packets(sent), secrets: Array(log.utf8))
    #expect(other.violations == [] && other.connections.first?.security?.opening == .no)
  }

  /// A client's hello before a Retry, and another one after it. The Retry may come later, or be lost, and numbers may begin anew.
  @Test(arguments: [0, 1, 3, nil] as [Int?], [0, 1]) func aRetryMayBeLateOrLost(_ place: Int?, _ number: Int) throws {
    var former = QUICWriter(seed: 4)
    var writer = QUICWriter(seed: 3, clientID: former.clientID)
    let hello = QUICWriter.crypto(former.clientHello(host: "www.example.com"))
    let first = former.packet(.client, .initial, hello + [UInt8](repeating: 0, count: 900))
    writer.numbers[0] = number
    var sent = dialogue(&writer)
    if let place {
      let ids = [UInt8(writer.clientID.count)] + writer.clientID + [UInt8(writer.firstID.count)] + writer.firstID
      sent.insert((.server, [0xf0, 0, 0, 0, 1] + ids + [UInt8](repeating: 9, count: 40)), at: place)
    }
    sent.insert((.client, first), at: 0)
    let analysis = analyze(QUICWriter.packets(sent), writer)
    #expect(analysis.ledger.quicProtected == 0 && analysis.connections.count == 1)
    #expect(try #require(analysis.connections.first).security?.opening == .yes)
  }

  /// A client without connection IDs, and a second connection between the same addresses. The first may have no answer, and is opened
  /// all the same.
  @Test(arguments: [false, true]) func addressesAreUsedAgain(_ isAnswerLost: Bool) {
    var packets: [TestPacket] = []
    var log = ""
    for seed in [15, 16] as [UInt8] {
      var writer = QUICWriter(seed: seed, clientID: [])
      var sent = dialogue(&writer)
      if isAnswerLost, packets.isEmpty { sent.remove(at: 1) }
      packets += QUICWriter.packets(sent, from: packets.count)
      log += writer.log
    }
    let analysis = Analysis(packets, secrets: Array(log.utf8))
    #expect(analysis.violations == [])
    #expect(analysis.connections.count == 2 && analysis.ledger.quicProtected == 0)
    #expect(analysis.connections.last?.security?.opening == .yes)
  }

  /// Early data is read when the server accepts it, and stays closed when not, before or after the answer.
  @Test(arguments: [true, false], [true, false]) func earlyDataIsReadIfAccepted(_ isAccepted: Bool, _ isLate: Bool) {
    var writer = QUICWriter(seed: 17)
    let hello = writer.clientHello(host: "a.example", protocolName: "hq", offersEarlyData: true)
    let first = writer.packet(.client, .initial, QUICWriter.crypto(hello) + [UInt8](repeating: 0, count: 900))
    let early = writer.packet(.client, .early, QUICWriter.stream(0, [UInt8](repeating: 5, count: 50), isLast: true))
    let answer =
      writer.packet(.server, .initial, QUICWriter.crypto(writer.serverHello()))
      + writer.packet(
        .server, .handshake,
        QUICWriter.crypto(writer.serverFlight(protocolName: "hq", acceptsEarlyData: isAccepted)))
    let sent: [Sent] =
      isLate
      ? [(.client, first), (.server, answer), (.client, early)] : [(.client, first + early), (.server, answer)]
    let analysis = analyze(QUICWriter.packets(sent), writer)
    #expect(analysis.ledger.quicProtected == (isAccepted ? 0 : early.count))
    #expect(analysis.anomalies[.tlsEarlyDataRefused] == (isAccepted ? 0 : 1))
    #expect(analysis.connections.first?.security?.opening == (isAccepted ? .yes : .no))
  }

  /// A server may answer early data in the datagram that accepts it. The request comes first all the same.
  @Test func earlyRequestsComeBeforeTheirAnswers() {
    var writer = QUICWriter(seed: 21)
    var fields = QPACKWriter(capacity: 0)
    func head(_ lines: [(String, String)]) -> [UInt8] {
      HTTP3Dialogue.frame(1, fields.section(lines.map { ($0.0, $0.1, .literal) }, baseOffset: 0).octets)
    }
    let request = head([(":method", "GET"), (":scheme", "https"), (":authority", "a.example"), (":path", "/")])
    let hello = writer.clientHello(host: "a.example", offersEarlyData: true)
    let first =
      writer.packet(.client, .initial, QUICWriter.crypto(hello) + [UInt8](repeating: 0, count: 900))
      + writer.packet(.client, .early, QUICWriter.stream(0, request, isLast: true))
    let answer =
      writer.packet(.server, .initial, QUICWriter.crypto(writer.serverHello()))
      + writer.packet(.server, .handshake, QUICWriter.crypto(writer.serverFlight(acceptsEarlyData: true)))
      + writer.packet(.server, .application, QUICWriter.stream(0, head([(":status", "204")]), isLast: true))
    let analysis = analyze(QUICWriter.packets([(.client, first), (.server, answer)]), writer)
    #expect(analysis.messages.count == 2 && analysis.exchanges.count == 1)
    #expect(analysis.anomalies[.httpResponseWithoutRequest] == 0 && analysis.ledger.quicProtected == 0)
  }

  /// Whatever becomes of datagrams, everything adds up.
  @Test func mutantsAddUp() {
    var random = SeededRandom(seed: 94)
    for seed in 0..<RandomCases.count(400) {
      var writer = QUICWriter(seed: UInt8(truncatingIfNeeded: seed))
      var sent = dialogue(&writer)
      for _ in 0..<random.number(1..<5) where !sent.isEmpty {
        let index = random.number(0..<sent.count)
        switch random.number(0..<5) {
        case 0: sent.remove(at: index)
        case 1: sent.insert(sent[index], at: random.number(0..<sent.count))
        case 2: sent.swapAt(index, random.number(0..<sent.count))
        case 3: sent[index].octets.removeLast(random.number(0..<sent[index].octets.count))
        default:
          let place = random.number(0..<sent[index].octets.count)
          sent[index].octets[place] ^= UInt8(1 << random.number(0..<8))
        }
      }
      _ = analyze(QUICWriter.packets(sent.filter { !$0.octets.isEmpty }), writer)
    }
  }

  /// Streams without end, and offsets far beyond any window: memory is bounded, and everything adds up.
  @Test func hostileStreamsAreBounded() {
    var configuration = Configuration()
    configuration.quicStreamLimit = 16
    configuration.heldOctetLimit = 4096
    var writer = QUICWriter(seed: 18)
    var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    for number in 0..<300 {
      let far = QUICWriter.stream(4 * number, [1, 2], at: 1 << (number % 61))
      sent.append((.client, writer.packet(.client, .application, far)))
      let gap = QUICWriter.stream(1, [UInt8](repeating: 3, count: 200), at: 1 + number * 300)
      sent.append((.server, writer.packet(.server, .application, gap)))
    }
    let analysis = Analysis(QUICWriter.packets(sent), configuration: configuration, secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [])
    #expect(analysis.anomalies[.quicStreamsFull] > 200 && analysis.ledger[.outOfWindow] > 0)
    #expect(analysis.mostConnectionOctets < 200_000)
  }
}
