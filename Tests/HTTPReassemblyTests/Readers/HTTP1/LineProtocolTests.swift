import TestSupport
import Testing

@testable import HTTPReassembly

/// A protocol of lines, as a new session would be made: it counts the octets of each side's lines as messages of their own.
private struct LineSession: StreamReceiver {
  private var owners = Sides<Owners>(repeating: Owners())

  init(_ opening: ConnectionOpening, _ run: inout Run) {}
  mutating func connected(after duration: Int64) {}

  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    for offset in 0..<octets.byteCount {
      if !owners[side].hasMessageInProgress {
        var row = OpenMessage()
        row.message.number = run.numbers.nextMessage()
        row.message.connection = run.connection.number
        row.message.kind = side == 0 ? .request : .response
        let number = row.message.number
        let index = RowIndex(run.rows.messages.insert(row))
        owners[side].append(MessageReference(row: index, number: number), from: position + offset)
      }
      run.rows[message: owners[side].newest.row].octets.body += 1
      if octets.octet(offset) == ASCII.lineFeed { owners[side].endNewest(at: position + offset + 1) }
    }
    run.ledger.settle(octets.byteCount, as: .body)
    charge(Charge(position: position, retransmitted: 0, overhead: arrival.overhead), to: side, &run)
    return Taken(count: octets.byteCount, needs: [])
  }

  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds { [] }
  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run
  ) -> StreamNeeds { [] }
  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds { [] }
  mutating func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds { [] }
  mutating func evict(_ run: inout Run) {}

  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += owners[side].charge(charge, &run.rows)
  }
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += owners[side].newest.owner.chargeAcknowledgment(overhead, &run.rows)
  }
  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    owners[side].flagConflict(range, &run.rows)
  }
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {}

  mutating func close(_ run: inout Run) -> SessionEnd {
    for side in 0..<2 {
      while !owners[side].isEmpty {
        run.rows.finishMessage(owners[side][0].row)
        owners[side].removeFirst()
      }
    }
    return SessionEnd(client: 0, requestSide: 0, applicationProtocol: .other)
  }
}

/// A new protocol needs what a session is asked for, and nothing else of the house.
@Suite struct LineProtocolTests {
  @Test func aSessionOfAnotherProtocolCountsItsOwnOctets() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "HELO a\nMA")
    dialogue.send(.server, "250 ok\n")
    dialogue.send(.client, "IL b\n")
    dialogue.repeatSegment(dialogue.segments.count - 1)

    var run = Run(configuration: Configuration(), decoders: nil)
    var decoder = PacketDecoder(configuration: run.configuration)
    var connection: TCPConnection<LineSession>?
    for packet in dialogue.packets() {
      packet.octets.withOctets { octets in
        let decoded = decoder.decode(packet.facts, octets, ledger: &run.ledger, anomalies: &run.anomalies)
        guard case .tcp(let segment) = decoded else { return }
        run.ledger.pending += segment.payloadLength
        let key = ConnectionKey(segment.source, segment.destination)
        if connection == nil {
          connection = TCPConnection(first: segment, key: key, at: packet.facts.timestamp, run: &run)
        }
        connection?.receive(segment, octets, at: packet.facts.timestamp, source: nil, run: &run)
      }
    }
    let row = try #require(connection?.finish(.captureEnd, run: &run))
    var messages: [Message] = []
    while let index = run.rows.nextFinalMessage() { messages.append(run.rows[message: index]) }
    messages.sort { $0.number < $1.number }
    #expect(messages.map(\.octets.body) == [7, 7, 7])
    #expect(messages.map(\.retransmitted) == [0, 5, 0])
    let ip = messages.reduce(0) { $0 + $1.ipLength } + row.setup + row.teardown + row.unattributed
    #expect(ip == row.ipLength.client + row.ipLength.server)
    #expect(run.ledger.difference == 0 && run.ledger.pending == 0)
  }
}
