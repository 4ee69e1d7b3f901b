import TestSupport
import Testing

@testable import HTTPReassembly

/// Rows lie where they are made, and each is handed over once.
@Suite struct RowStoreTests {
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

  @Test func eachRowIsHandedOverOnceThoughTheSinkRefuses() {
    var dialogue = Dialogue.opened()
    for number in 0..<100 {
      dialogue.send(.client, "GET /\(number) HTTP/1.1\r\nHost: h.example\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 204 No Content\r\n\r\n")
    }
    var pipeline = Pipeline(sink: PickySink())
    var refusals = 0
    for packet in dialogue.packets() {
      packet.octets.withOctets { octets in
        do { try pipeline.process(packet.facts, octets) } catch { refusals += 1 }
      }
    }
    do { try pipeline.finishConnections() } catch { refusals += 1 }
    #expect(pipeline.sink.numbers.sorted() == Array(1...200))
    #expect(pipeline.sink.exchanges.sorted() == Array(1...100))
    #expect(refusals > 40)
    #expect(pipeline.ledger.difference == 0)
  }

  /// A ring is a queue, whatever is done to it.
  @Test func aRingIsAQueue() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<RandomCases.count(50) {
      var ring = IndexRing<Int>()
      var model: [Int] = []
      for step in 0..<400 {
        let grows = step % 100 < 50 ? 3 : 1
        if model.isEmpty || Int.random(in: 0..<4, using: &random) < grows {
          ring.append(step)
          model.append(step)
        } else {
          ring.removeFirst()
          model.removeFirst()
        }
        #expect(ring.count == model.count && ring.isEmpty == model.isEmpty)
        #expect((0..<model.count).map { ring[$0] } == model)
      }
    }
  }

  /// A slab keeps each element in its slot until it is taken out.
  @Test func aSlabKeepsItsElements() {
    var random = SeededRandom(seed: 12)
    var slab = Slab<[Int]>()
    var model: [Int: [Int]] = [:]
    for step in 0..<RandomCases.count(6000) {
      if let slot = model.keys.sorted().randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
        let element = slab.remove(slot)
        #expect(element == model.removeValue(forKey: slot))
      } else {
        let slot = slab.insert([step])
        #expect(model[slot] == nil)
        model[slot] = [step]
        slab[slot].append(1)
        model[slot]?.append(1)
      }
    }
    #expect(slab.count == model.count && slab.indices == model.keys.sorted())
    for (slot, element) in model { #expect(slab.look(slot) { $0 } == element) }
  }

  /// Charges find the message that owns the octet, whatever the order.
  @Test func ownersAreThoseOfTheRanges() {
    var random = SeededRandom(seed: 13)
    for _ in 0..<RandomCases.count(200) {
      var rows = RowStore()
      var owners = OwnerMap()
      // Position by position, the row that owns it.
      var model: [Int?] = []
      var first = 0
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        model += Array(repeating: nil, count: Int.random(in: 0...2, using: &random))
        let row = RowIndex(rows.messages.insert(OpenMessage()))
        owners.append(row, from: model.count)
        model += Array(repeating: Int(row), count: Int.random(in: 1...9, using: &random))
        owners.endNewest(at: model.count)
        if Int.random(in: 0..<6, using: &random) == 0 {
          let gone = Int(owners[0].row)
          owners.removeFirst()
          model = model.map { $0 == gone ? nil : $0 }
          first += 1
        }
      }
      for _ in 0..<30 {
        let position = Int.random(in: 0..<model.count, using: &random)
        let repeated = Int.random(in: 0...(model.count - position), using: &random)
        let before = sums(rows)
        let unowned = owners.charge(Charge(position: position, retransmitted: repeated, overhead: 40), &rows)
        var expected = before
        var outside = 0
        if let owner = model[position] { expected[owner, default: [0, 0]][0] += 40 } else { outside += 40 }
        for index in position..<position + repeated {
          if let owner = model[index] { expected[owner, default: [0, 0]][1] += 1 } else { outside += 1 }
        }
        #expect(sums(rows) == expected)
        #expect(unowned == outside)
      }
    }
  }

  /// Overhead and retransmitted octets of each row.
  private func sums(_ rows: RowStore) -> [Int: [Int]] {
    Dictionary(
      uniqueKeysWithValues: rows.messages.indices.map { slot in
        (slot, rows.messages.look(slot) { [$0.message.overhead, $0.message.retransmitted] })
      })
  }
}
