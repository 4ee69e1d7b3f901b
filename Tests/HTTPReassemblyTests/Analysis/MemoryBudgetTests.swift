import ContentCodings
import TestSupport
import Testing

@testable import HTTPReassembly

/// What all tables may take together: connections give way to those that cannot.
@Suite struct MemoryBudgetTests {
  private func budget(limit: Int, connections: Int) -> MemoryBudget {
    var configuration = Configuration()
    configuration.memoryLimit = limit
    configuration.connectionOctetLimit = connections
    return MemoryBudget(configuration)
  }

  @Test func connectionsGetWhatOthersLeave() {
    var budget = budget(limit: 1000, connections: 900)
    #expect(budget.connectionRoom == 900)
    budget.share(tables: 30, others: 30)
    #expect(budget.connectionRoom == 900)
    budget.share(tables: 200, others: 100)
    #expect(budget.connectionRoom == 550)
    budget.share(tables: 200, others: 5000)
    #expect(budget.connectionRoom == 225)
    budget.share(tables: 0, others: 0)
    #expect(budget.connectionRoom == 900)
  }

  /// Connections give way for the memory that an observer holds for their messages. This one gives nothing back.
  @Test func connectionsGiveWayForAnObserver() {
    final class Holder: MessageObserver {
      var memory = 0
      func startLine(_ line: RawSpan, of message: Int, kind: MessageKind) { memory += 1 << 20 }
      func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int) {}
      func content(_ octets: RawSpan, of message: Int) {}
      func decodedContent(_ octets: RawSpan, of message: Int) {}
      func end(of message: Int, decodedLength: Int?) {}
    }
    let packets = Dialogue.connections(40, spacing: 1_000_000) { dialogue in
      dialogue.send(.client, HTTP.get("/a"))
      dialogue.send(.server, HTTP.ok(""))
    }
    var configuration = Configuration()
    configuration.connectionOctetLimit = 20 << 20
    let evicting = Analysis(packets, configuration: configuration, observer: Holder())
    let free = Analysis(packets, configuration: configuration)
    #expect(evicting.anomalies[.connectionMemoryFull] > 0 && free.anomalies[.connectionMemoryFull] == 0)
    #expect(evicting.messages.count == free.messages.count && evicting.classes == free.classes)
  }

  /// Tables that reports are made of have one limit together: beyond it they get no further rows, and say so.
  @Test func tablesAreClosedTogether() {
    var budget = budget(limit: 1000, connections: 900)
    #expect(!budget.tablesAreFull)
    budget.share(tables: Configuration().tableMemoryLimit + 1, others: 0)
    #expect(budget.tablesAreFull)
    let packets = Dialogue.connections(600, spacing: 1_000_000) { dialogue in
      for path in ["/a", "/\(dialogue.client.port)"] {
        dialogue.send(.client, HTTP.get(path))
        dialogue.send(.server, HTTP.ok(""))
      }
    }
    var configuration = Configuration()
    configuration.tableMemoryLimit = 20_000
    let closed = Analysis(packets, configuration: configuration)
    let free = Analysis(packets)
    #expect(closed.violations == [])
    #expect(closed.anomalies[.apiTableFull] > 0 && free.anomalies[.apiTableFull] == 0)
    #expect(closed.classes == free.classes)
    #expect(closed.totals.apis.count < free.totals.apis.count)
  }

  /// Some decoders are in every run.
  @Test func decodersCountBeyondUsualOnes() {
    #expect(MemoryBudget.counted(decoders: 8 << 20) == 0)
    #expect(MemoryBudget.counted(decoders: 9 << 20) == 1 << 20)
  }

  /// The table of APIs takes from the connections: the same connections, of which one run has many APIs before.
  @Test func apisTakeFromConnections() {
    func packets(apis: Int) -> [TestPacket] {
      var first = Dialogue.opened()
      for number in 0..<apis {
        first.send(.client, HTTP.get("/\(number)"))
        first.send(.server, HTTP.ok(""))
      }
      return first.packets()
        + Dialogue.connections(400, spacing: 1_000_000) { $0.send(.client, "GET / HTTP/1.1\r\nX: " + HTTP.body(2000)) }
    }
    var configuration = Configuration()
    configuration.memoryLimit = 3_000_000
    configuration.connectionOctetLimit = 2_900_000
    let few = analyze(packets(apis: 1), configuration)
    #expect(few.anomalies[.connectionMemoryFull] == 0)
    let many = analyze(packets(apis: 4000), configuration)
    #expect(many.anomalies[.connectionMemoryFull] > 0)
    #expect(many.violations == [])
  }

  /// A message's decoder is its connection's: it goes with it.
  @Test func decodersGoWithTheirConnections() {
    // Two blocks that are stored, of one octet and then of 65,535, which do not come.
    let start: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 0xfe, 0xff, 0x41, 0, 0xff, 0xff, 0, 0]
    let packets = Dialogue.connections(600, spacing: 1_000_000) { dialogue in
      dialogue.send(.client, HTTP.get("/"))
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 60000\r\n\r\n")
      dialogue.send(.server, start + [UInt8](repeating: 0x42, count: 40_000))
    }
    var configuration = Configuration()
    configuration.connectionOctetLimit = 9 << 20
    let decoders = SystemContentDecoders(configuration: configuration)
    let limited = Analysis(packets, configuration: configuration, decoders: decoders)
    #expect(limited.violations == [])
    #expect(limited.anomalies[.connectionMemoryFull] > 50)
    #expect(limited.mostConnectionOctets <= 9 << 20)
    let free = Analysis(packets, decoders: SystemContentDecoders())
    #expect(free.anomalies[.connectionMemoryFull] == 0)
    #expect(free.mostConnectionOctets > 12 << 20)
    #expect(free.classes == limited.classes)
  }

  /// A window that is larger than usual comes out of what nobody takes.
  @Test(arguments: [(24, 1, true), (25, 1, false), (25, 64, true), (27, 64, false), (27, 136, true)])
  func largeWindowsNeedRoom(windowLog: Int, room: Int, isDecoded: Bool) {
    // One block of three octets, as it is, and the last one.
    let content: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0, UInt8((windowLog - 10) << 3), 0x19, 0, 0, 1, 2, 3]
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/"))
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: \(content.count)\r\n\r\n"
    dialogue.send(.server, Array(head.utf8) + content)
    var configuration = Configuration()
    configuration.connectionOctetLimit = room << 20
    let analysis = Analysis(
      dialogue.packets(), configuration: configuration, decoders: SystemContentDecoders(configuration: configuration))
    #expect(analysis.violations == [])
    #expect(analysis.responses.map(\.decodedBody) == [isDecoded ? 3 : nil])
    #expect(analysis.anomalies[.contentBeyondLimit] == (isDecoded ? 0 : 1))
  }

  /// Names are counted with what they take, and forgotten ones no more.
  @Test func namesAreCounted() {
    var names = NameTable(limit: 100)
    for number in 0..<50 {
      names.learn(Array("host\(number)".utf8), for: IPAddress(high: 0, low: UInt64(number)), lookup: nil)
    }
    let half = names.memory
    for number in 0..<50 {
      names.learn(Array("host\(number)".utf8), for: IPAddress(high: 0, low: UInt64(number)), lookup: nil)
    }
    #expect(names.memory == half)
    for number in 50..<1000 {
      names.learn(Array("h\(number)".utf8), for: IPAddress(high: 0, low: UInt64(number)), lookup: nil)
    }
    #expect(names.memory > half && names.memory < 3 * half)
  }

  /// Elements in blocks are those of an array, in copies, too.
  @Test(arguments: [0, 1, 511, 512, 513, 2000])
  func blocksAreAnArray(count: Int) {
    var blocks = BlockArray<Int>()
    for number in 0..<count { blocks.append(number) }
    let copy = blocks
    for position in blocks.indices where position % 3 == 0 { blocks[position] += 10_000 }
    let expected = (0..<count).map { $0 % 3 == 0 ? $0 + 10_000 : $0 }
    #expect(blocks.count == count && blocks.indices.map { blocks[$0] } == expected)
    #expect(copy.indices.map { copy[$0] } == Array(0..<count))
    #expect(blocks.takeAll() == expected)
    #expect(blocks.count == 0 && blocks.takeAll() == [])
    blocks.append(7)
    #expect(blocks.takeAll() == [7])
  }

  /// Blocks empty while new elements come, if the oldest go: so connections give way to growing tables.
  @Test func blocksEmptyWhileNewElementsCome() {
    var slab = Slab<[Int]>()
    var slots = (0..<40_000).map { slab.insert([$0]) }
    #expect(slab.blockCount == 40)
    var oldest = 0
    while slab.count > 8_000 {
      for _ in 0..<3 {
        #expect(slab.remove(slots[oldest]) == [oldest])
        oldest += 1
      }
      slots.append(slab.insert([slots.count]))
    }
    // A quarter of each block may be free, four empty blocks are kept, and two are in use at either end.
    #expect(slab.blockCount <= slab.count * 4 / 3 / 1024 + 6)
    for number in oldest..<slots.count { #expect(slab[slots[number]] == [number]) }
  }

  /// Free slots between elements count: blocks are not given back while one element is left in each.
  @Test func freeSlotsCount() {
    var slab = Slab<[Int]>()
    let slots = (0..<(20 << 10)).map { slab.insert([$0]) }
    let stride = MemoryLayout<[Int]>.stride
    #expect(slab.octets == slots.count * stride)
    for (number, slot) in slots.enumerated() where number & 1023 > 0 { slab.discard(slot) }
    #expect(slab.count == 20 && slab.octets == (15 << 10) * stride)
    for (number, slot) in slots.enumerated() where number & 1023 == 0 && number > 0 { slab.discard(slot) }
    #expect(slab.count == 1 && slab.octets == stride)
  }

  /// What a flood took is given back: elements in blocks that are empty have no memory.
  @Test func emptyBlocksAreGivenBack() {
    var slab = Slab<[Int]>()
    var model: [Int: [Int]] = [:]
    func fill(_ count: Int) {
      for number in 0..<count { model[slab.insert([number])] = [number] }
    }
    fill(20_000)
    #expect(slab.blockCount == 20)
    for index in slab.indices.dropLast(10) {
      if index % 2 == 0 { slab.discard(index) } else { #expect(slab.remove(index) == model[index]) }
      model[index] = nil
    }
    #expect(slab.count == 10)
    #expect((2...6).contains(slab.blockCount))
    fill(30_000)
    #expect(slab.blockCount == 30)
    #expect(slab.count == 30_010 && model.count == 30_010)
    #expect(model.allSatisfy { index, element in slab[index] == element })
    // One that comes and goes asks for no memory.
    var random = SeededRandom(seed: 3)
    for _ in 0..<50_000 {
      if Bool.random(using: &random), let index = model.keys.first {
        #expect(slab.remove(index) == model.removeValue(forKey: index))
      } else {
        let index = slab.insert([7])
        #expect(model.updateValue([7], forKey: index) == nil)
      }
    }
    #expect(slab.indices.sorted() == model.keys.sorted())
  }
}
