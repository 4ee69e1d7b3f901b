import TestSupport
import Testing

@testable import HTTPReassembly

/// What an open connection takes while nothing comes.
@Suite struct ConnectionSizeTests {
  /// `count` connections of `exchanges` exchanges each, all open.
  private func openConnections(_ count: Int, exchanges: Int = 1) -> [TestPacket] {
    Dialogue.connections(count, spacing: 1_000_000) { dialogue in
      for _ in 0..<exchanges {
        dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n")
        dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  private func pipeline(_ packets: [TestPacket], openRows: Int) -> Pipeline<CollectingSink> {
    var configuration = Configuration()
    configuration.openMessageLimit = openRows
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    return pipeline
  }

  @Test func aConnectionWhoseRowsAreElsewhereTakes800Octets() {
    let elsewhere = pipeline(openConnections(2000), openRows: 0)
    let octets = elsewhere.connectionOctets - elsewhere.totals.texts.memory
    #expect(elsewhere.connectionCount == 2000 && elsewhere.sink.messages.count == 4000)
    #expect(octets / 2000 <= 800, "\(octets / 2000)")
  }

  /// Beyond the limit the rows of the connections seen least recently are final, and nothing is lost.
  @Test func rowsOfIdleConnectionsBecomeFinal() {
    let packets = openConnections(100, exchanges: 3)
    var limited = pipeline(packets, openRows: 240)
    #expect(limited.sink.messages.count >= 6 * 60 && limited.sink.messages.count < 6 * 100)
    let lasting = Set(limited.sink.messages.map(\.connection))
    #expect(lasting.contains(1) && !lasting.contains(100))
    limited.finishConnections()
    var free = pipeline(packets, openRows: .max)
    #expect(free.sink.messages.isEmpty)
    free.finishConnections()
    func rows(_ pipeline: borrowing Pipeline<CollectingSink>) -> [String] {
      pipeline.sink.messages.map { "\($0.number) \($0.octets) \($0.overhead)" }.sorted()
    }
    #expect(rows(limited) == rows(free))
    #expect(limited.sink.exchanges.count == 300 && limited.ledger == free.ledger)
  }

  /// A copy that comes after its message is final is its connection's.
  @Test func aLateCopyIsTheConnections() throws {
    var dialogue = Dialogue()
    dialogue.open()
    dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    dialogue.repeatSegment(3)
    var late = pipeline(dialogue.packets(), openRows: 0)
    late.finishConnections()
    let connection = try #require(late.sink.connections.first)
    let messages = late.sink.messages
    #expect(connection.retransmitted > 0 && messages.allSatisfy { $0.retransmitted == 0 })
    let sum = messages.reduce(0) { $0 + $1.ipLength } + connection.setup + connection.teardown + connection.unattributed
    #expect(sum == connection.ipLength.client + connection.ipLength.server)
  }
}
