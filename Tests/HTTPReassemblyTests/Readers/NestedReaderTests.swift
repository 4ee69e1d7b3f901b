import TestSupport
import Testing

@testable import HTTPReassembly

/// A protocol of lines, as a new reader would be made: each line of a side is a message.
private final class LineReader: OtherProtocol {
  private var owners = Sides<Owners>(repeating: Owners())
  private(set) var missing = 0

  override func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    for offset in 0..<octets.byteCount {
      if !owners[side].hasMessageInProgress {
        var row = OpenMessage()
        row.message.number = run.numbers.nextMessage()
        row.message.isSecure = run.connection.beneath.isSecure
        row.message.flags = run.connection.beneath.isTunnelled ? .tunnelled : []
        let number = row.message.number
        let index = RowIndex(run.rows.messages.insert(row))
        owners[side].append(MessageReference(row: index, number: number), from: position + offset)
      }
      run.rows[message: owners[side].newest.row].octets.body += 1
      if octets.octet(offset) == ASCII.lineFeed { owners[side].endNewest(at: position + offset + 1) }
    }
    run.settle(octets.byteCount, as: .body, of: side)
    return Taken(count: octets.byteCount, needs: [])
  }

  override func skipMissing(_ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run) -> StreamNeeds {
    missing += count
    return super.skipMissing(side, count, at: position, &run)
  }

  override func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += owners[side].charge(charge, &run.rows)
  }

  override func close(_ run: inout Run) -> SessionEnd {
    for side in 0..<2 {
      while !owners[side].isEmpty {
        run.rows.finishMessage(owners[side][0].row)
        owners[side].removeFirst()
      }
    }
    return super.close(&run)
  }
}

/// Readers in readers: TCP carries HTTP/1, whose tunnel carries TLS, which carries a protocol that the house does not know.
@Suite struct NestedReaderTests {
  @Test func aProtocolOverTLSInATunnelKnowsItsPacketsAndGaps() throws {
    var writer = TLSWriter(version: 0x0304, seed: 1)
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    dialogue.send(.server, writer.serverHello() + TLSWriter.changeCipherSpec + writer.serverFlight())
    dialogue.send(.client, TLSWriter.changeCipherSpec + writer.clientFinish())
    let opened = dialogue.segments.count
    dialogue.send(.client, writer.data(.client, Array("HELO a\n".utf8)))
    dialogue.send(.server, writer.data(.server, Array("250 ok\n".utf8)))
    dialogue.repeatSegment(-1)
    dialogue.send(.client, writer.data(.client, Array("MAIL b\n".utf8)), isCaptured: false)
    dialogue.send(.client, writer.data(.client, Array("QUIT\n".utf8)))
    dialogue.send(.server, writer.data(.server, Array("221 bye\n".utf8)))

    var run = Run(configuration: Configuration(), decoders: nil)
    Array(writer.log.utf8).withOctets { run.secrets.read($0, source: 0) }
    var decoder = PacketDecoder(configuration: run.configuration)
    var connection: TCPConnection<Session>?
    let lines = LineReader()
    for (index, packet) in dialogue.packets().enumerated() {
      if index == opened, case .reading(.http1(let session))? = connection?.session {
        session.value.tunnel?.value.tls.value.inner = .other(lines)
      }
      packet.octets.withOctets { octets in
        let decoded = decoder.decode(packet.facts, octets, ledger: &run.ledger, anomalies: &run.anomalies)
        guard case .tcp(let segment) = decoded else { return }
        run.ledger.pending += segment.payloadLength
        let key = ConnectionKey(segment.source, segment.destination)
        let time = packet.facts.timestamp
        run.clock = time
        if connection == nil { connection = TCPConnection(first: segment, key: key, at: time, run: &run) }
        connection?.receive(segment, octets, at: time, source: nil, run: &run)
      }
    }
    let row = try #require(connection?.finish(.captureEnd, run: &run))
    var messages: [Message] = []
    while let index = run.rows.nextFinalMessage() { messages.append(run.rows[message: index]) }
    let inside = messages.filter(\.isSecure).sorted { $0.number < $1.number }
    #expect(inside.map(\.octets.body) == [7, 7, 5, 8] && lines.missing == 7)
    #expect(inside.allSatisfy { $0.flags == .tunnelled && $0.tls == 22 })
    #expect(inside.map(\.overhead) == [40, 80, 40, 40] && inside.map(\.retransmitted) == [0, 29, 0, 0])
    #expect(run.ledger.difference == 0 && run.ledger.pending == 0)
    #expect(row.security != nil)
  }
}
