import HTTPReassembly
import TestSupport
import Testing

/// The library as README shows it: a sink, a pipeline, packets, totals.
@Suite struct APITests {
  /// Counts what it is given.
  private struct MySink: ReportSink {
    var lines: [String] = []

    mutating func message(_ message: Message, texts: borrowing TextPool) {
      lines.append("\(message.kind.name) \(texts.string(message.host))\(texts.string(message.path))")
    }
    mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) { lines.append("exchange") }
    mutating func connection(_ connection: Connection, texts: borrowing TextPool) { lines.append("connection") }
  }

  @Test func readmeExample() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()

    var pipeline = Pipeline(sink: MySink())
    for packet in dialogue.packets() {
      packet.octets.withOctets { octets in pipeline.process(packet.facts, octets) }
    }
    pipeline.finishConnections()
    #expect(pipeline.totals.ledger.total == pipeline.totals.ledger.original)
    #expect(pipeline.sink.lines == ["request a.example/a", "response a.example/a", "exchange", "connection"])
  }

  private struct Refusal: Error, Equatable {
    var number: Int
  }

  /// Throws for each message.
  private struct RefusingSink: ReportSink {
    typealias Failure = Refusal
    var seen: [Int] = []

    mutating func message(_ message: Message, texts: borrowing TextPool) throws(Refusal) {
      seen.append(message.number)
      throw Refusal(number: message.number)
    }
    mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {}
    mutating func connection(_ connection: Connection, texts: borrowing TextPool) {}
  }

  @Test func theFirstErrorOfASinkIsThrownAndNothingIsLost() {
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(path))
    }
    var pipeline = Pipeline(sink: RefusingSink())
    var errors: [Refusal] = []
    for packet in dialogue.packets() {
      do throws(Refusal) {
        try packet.octets.withOctets { octets throws(Refusal) in try pipeline.process(packet.facts, octets) }
      } catch { errors.append(error) }
    }
    do throws(Refusal) { try pipeline.finishConnections() } catch { errors.append(error) }
    #expect(errors == [Refusal(number: 1)])
    #expect(pipeline.sink.seen.sorted() == [1, 2, 3, 4])
    #expect(pipeline.totals.ledger.difference == 0)
    #expect(pipeline.totals.texts.count == 3)
  }

  @Test func aSecondCaptureStartsAnew() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    var pipeline = Pipeline(sink: CollectingSink())
    for _ in 0..<2 {
      for packet in dialogue.packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
      pipeline.finishConnections()
    }
    #expect(pipeline.sink.connections.map(\.number) == [1, 2])
    #expect(pipeline.sink.messages.count == 4)
    #expect(pipeline.totals.anomalies.all.isEmpty)
    #expect(pipeline.totals.ledger[.retransmitted] == 0)
  }

  @Test func extremeTimestamps() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()
    for (index, time) in [Int64.min, .max, 0, .min, .max, -1, 1, .max].enumerated() {
      dialogue.segments[index].time = time
    }
    #expect(analyze(dialogue).ledger.difference == 0)
  }

  @Test func namesLearntForAddresses() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /a HTTP/1.0\r\n\r\n")
    var pipeline = Pipeline(sink: CollectingSink())
    pipeline.learn(name: Array("named.example".utf8), for: dialogue.server.address)
    for packet in dialogue.packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    #expect(pipeline.sink.messages.map(\.host) == ["named.example"])
    #expect(pipeline.sink.messages.map(\.hostSource) == [.dns])
  }
}
