import Testing

@testable import HTTPReassembly

/// Rows are written over those that were handed over before.
@Suite struct FinishedRowsTests {
  private struct Refusal: Error {}

  /// Refuses every third message.
  private struct PickySink: ReportSink {
    var numbers: [Int] = []
    var exchanges: [Int] = []

    mutating func message(_ message: Message, texts: borrowing TextPool) throws(Refusal) {
      numbers.append(message.number)
      if message.number % 3 == 0 { throw Refusal() }
    }
    mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Refusal) {
      exchanges.append(exchange.number)
    }
    mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Refusal) {}
  }

  @Test func eachRowIsHandedOverOnce() {
    var rows = FinishedRows()
    var texts = TextPool()
    var sink = PickySink()
    var number = 0
    for round in 0..<20 {
      for _ in 0..<round {
        number += 1
        var message = Message()
        message.number = number
        message.host = texts.intern(Array("host \(number)".utf8))
        rows.add(message, message.client, message.server)
        var exchange = Exchange()
        exchange.number = number
        exchange.host = texts.intern(Array("host \(number)".utf8))
        rows.add(exchange, ExchangeTimings())
      }
      #expect(rows.isEmpty == (round == 0))
      while !rows.isEmpty { try? rows.handOver(to: &sink, texts: &texts) }
    }
    #expect(sink.numbers == Array(1...number))
    #expect(sink.exchanges == Array(1...number))
    #expect(texts.count == 0)
  }
}
