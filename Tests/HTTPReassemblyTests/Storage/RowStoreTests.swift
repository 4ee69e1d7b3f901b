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

  /// Charges find the message of the octets, whatever the order.
  @Test func ownersAreThoseOfTheRanges() {
    var random = SeededRandom(seed: 13)
    for _ in 0..<RandomCases.count(200) {
      var rows = RowStore()
      var owners = Owners()
      // Position by position, the row that owns it.
      var model: [Int?] = []
      var forgotten = 0
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        model += Array(repeating: nil, count: Int.random(in: 0...2, using: &random))
        let row = RowIndex(rows.messages.insert(OpenMessage()))
        owners.append(MessageReference(row: row, number: 0), from: model.count)
        model += Array(repeating: Int(row), count: Int.random(in: 1...9, using: &random))
        owners.endNewest(at: model.count)
        if Int.random(in: 0..<6, using: &random) == 0 {
          let gone = owners[0]
          owners.removeFirst()
          model = model.map { $0 == Int(gone.row) ? nil : $0 }
          forgotten = gone.end
        }
      }
      for _ in 0..<30 {
        check(owners, &rows, model, forgotten: forgotten, &random)
      }
    }
  }

  /// Charges find the messages of frames that take turns, and of tunnels. The oldest frames are forgotten.
  @Test func ownersAreThoseOfTheFrames() {
    var random = SeededRandom(seed: 14)
    for _ in 0..<RandomCases.count(200) {
      var rows = RowStore()
      let messages = (0..<3).map { number in
        var open = OpenMessage()
        open.message.number = number
        return MessageReference(row: RowIndex(rows.messages.insert(open)), number: number)
      }
      // A number that its row no longer has: the row is another message's.
      let old = MessageReference(row: messages[0].row, number: 9)
      let choices = messages + [.none, old, .tunnel(7), .tunnel(1 << 62 - 1)]
      var owners = Owners()
      owners.begin(at: 0)
      var frames: [(end: Int, owner: MessageReference)] = []
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let end = (frames.last?.end ?? 0) + Int.random(in: 1...9, using: &random)
        frames.append((end, choices[Int.random(in: 0..<choices.count, using: &random)]))
        owners.extend(to: end, frames[frames.count - 1].owner, limit: 6)
      }
      #expect(owners.count <= 6)
      var model: [MessageReference] = []
      for frame in frames { model += Array(repeating: frame.owner, count: frame.end - model.count) }
      for position in owners.start..<model.count { #expect(owners.owner(of: position) == model[position]) }
      for _ in 0..<30 {
        let isOpen = { (owner: MessageReference) in messages.contains(owner) }
        check(
          owners, &rows, model.indices.map { $0 >= owners.start && isOpen(model[$0]) ? Int(model[$0].row) : nil },
          stops: model.map { !$0.isNone && !isOpen($0) }, tunnels: model.map(\.tunnel), forgotten: owners.start, &random
        )
      }
    }
  }

  /// Charges a random packet, and compares the rows and the unowned octets with a model: position by position, the row of the owner, whether
  /// the owner is a message that takes no charges, and the tunnel.
  private func check(
    _ owners: Owners, _ rows: inout RowStore, _ model: [Int?], stops: [Bool]? = nil, tunnels: [UInt64?]? = nil,
    forgotten: Int, _ random: inout SeededRandom
  ) {
    let position = Int.random(in: 0..<model.count, using: &random)
    let repeated = Int.random(in: 0...(model.count - position), using: &random)
    var expected = sums(rows)
    var outside = 0
    let decisive = position..<max(position + repeated, position + 1)
    let first = decisive.first { model[$0] != nil || stops?[$0] == true && $0 >= forgotten }
    if let first, let owner = model[first], repeated == 0 || position >= forgotten {
      expected[owner, default: [0, 0]][0] += 40
    } else {
      outside += 40
    }
    var inTunnels: [UInt64: Int] = [:]
    for index in position..<position + repeated {
      if let owner = model[index] {
        expected[owner, default: [0, 0]][1] += 1
      } else if index >= forgotten, let tunnel = tunnels?[index] {
        inTunnels[tunnel, default: 0] += 1
      } else {
        outside += 1
      }
    }
    var found: [UInt64: Int] = [:]
    let unowned = owners.charge(Charge(position: position, retransmitted: repeated, overhead: 40), &rows) {
      found[$0, default: 0] += $1.count
    }
    #expect(sums(rows) == expected)
    #expect(unowned == outside)
    #expect(found == inTunnels)
  }

  /// Overhead and retransmitted octets of each row.
  private func sums(_ rows: RowStore) -> [Int: [Int]] {
    Dictionary(
      uniqueKeysWithValues: rows.messages.indices.map { slot in
        (slot, rows.messages.look(slot) { [$0.message.overhead, $0.message.retransmitted] })
      })
  }
}
