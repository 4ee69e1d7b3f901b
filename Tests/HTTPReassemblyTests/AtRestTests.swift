import TestSupport
import Testing

@testable import HTTPReassembly

/// A connection that is not being worked on is kept in few octets, and comes back as it was. That nothing of it is forgotten
/// is held by `Analysis`, which lets connections rest after each packet of each test.
@Suite struct AtRestTests {
  // MARK: Words

  @Test func wordsComeBack() {
    var random = SeededRandom(seed: 7)
    var words = StateWords()
    for _ in 0..<500 {
      // Of all lengths, and mostly zero.
      let values = (0..<Int.random(in: 0...700, using: &random)).map { _ in
        Bool.random(using: &random)
          ? 0 : UInt64.random(in: .min ... .max, using: &random) >> UInt64.random(in: 0...64, using: &random)
      }
      words.removeAll()
      for value in values { words.append(value) }
      let packed = words.packed()
      #expect(packed.count <= values.count { $0 != 0 } * 9 + (values.count + 63) / 64 * 8)
      words.unpack(packed)
      #expect(values.allSatisfy { $0 == words.removeFirst() })
      #expect(words.removeFirst() == 0)
    }
  }

  @Test func eachLengthOfAWord() {
    var words = StateWords()
    for bits in 0...64 {
      let largest: UInt64 = bits == 0 ? 0 : .max >> UInt64(64 - bits)
      for value in [largest, largest - largest / 2] {
        words.removeAll()
        words.append(value)
        let packed = words.packed()
        let length = min((bits + 6) / 7, 9)
        #expect(packed.count == (bits == 0 ? 0 : 8 + length))
        words.unpack(packed)
        #expect(words.removeFirst() == value)
      }
    }
  }

  // MARK: Values

  /// One value of each kind.
  private struct Values: Equatable {
    var integer = 0
    var small: UInt8 = 0
    var optional: Int?
    var position: StreamPosition = .unknown
    var time: Int64 = 0
    var number = 0
    var flag = false
    var choice: Bool?
    var kind = MessageKind.request

    mutating func code(_ coder: inout StateCoder) {
      var second = !flag
      var third = small & 1 == 0
      var fourth = choice == true
      coder.integer(&integer, near: 1000)
      coder.integer(&small)
      coder.integer(&optional, near: integer & 0xffff)
      coder.position(&position, near: 77, or: .unknown)
      coder.time(&time)
      coder.number(&number)
      coder.flags(&flag, &second, &third, &fourth)
      coder.flag(&choice)
      coder.kind(&kind)
      #expect(second == !flag && third == (small & 1 == 0))
    }
  }

  @Test func valuesComeBack() {
    let integers = [0, 1, -1, 1000, 1 << 40, .max, .min, .max - 1, .min + 1]
    let times: [Int64] = [0, 1_700_000_000_000_000_000, (1 << 62) - 1, -(1 << 62) + 1]
    var coder = StateCoder()
    for integer in integers {
      for time in times {
        for choice in [nil, false, true] {
          var values = Values(
            integer: integer, small: UInt8(truncatingIfNeeded: integer), optional: choice == nil ? nil : integer >> 2,
            position: choice == true ? integer >> 2 : .unknown, time: time, number: integer, flag: integer & 1 == 0,
            choice: choice, kind: .interim)
          coder.startWriting(near: 1_700_000_000_000_000_000, 12)
          values.code(&coder)
          var read = Values()
          coder.startReading(coder.written(), near: 1_700_000_000_000_000_000, 12)
          read.code(&coder)
          #expect(read == values)
        }
      }
    }
  }

  // MARK: Connections

  /// `count` connections of one exchange each, all open, one `spacing` nanoseconds after the other.
  private func openConnections(_ count: Int, spacing: Int64 = 1_000_000) -> [TestPacket] {
    var packets: [TestPacket] = []
    for number in 0..<count {
      var dialogue = Dialogue()
      dialogue.client.port = UInt16(10_000 + number)
      dialogue.now += Int64(number) * spacing
      dialogue.step = 1000
      dialogue.open()
      dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      packets += dialogue.packets()
    }
    return packets
  }

  private func pipeline(_ packets: [TestPacket], whole: Int) -> Pipeline<CollectingSink> {
    var configuration = Configuration()
    configuration.wholeOpenConnectionLimit = whole
    configuration.restlessConnectionLimit = whole
    configuration.wholeClosedConnectionLimit = whole
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    return pipeline
  }

  private func openMessages(_ pipeline: borrowing Pipeline<CollectingSink>) -> [String] {
    var messages: [String] = []
    pipeline.forEachOpenMessage { message, texts in messages.append("\(message) \(texts.string(message.path))") }
    return messages
  }

  @Test func anIdleConnectionTakesLessThan400Octets() {
    let packets = openConnections(2000)
    let resting = pipeline(packets, whole: 0)
    let octets = resting.connectionOctets - resting.totals.texts.memory
    #expect(octets / 2000 < 400)
    #expect(pipeline(packets, whole: 2000).connectionOctets > 2000 * 2000)
  }

  /// To rest takes as long as there are messages that may still be charged.
  @Test func aConnectionOfManyMessagesStaysWhole() {
    func octets(exchanges: Int) -> Int {
      var dialogue = Dialogue.opened()
      for _ in 0..<exchanges {
        dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n")
        dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      let resting = pipeline(dialogue.packets(), whole: 0)
      return resting.connectionOctets - resting.totals.texts.memory
    }
    #expect(octets(exchanges: 8) < 1500)
    #expect(octets(exchanges: 9) > 5000)
  }

  @Test func aLookShowsWhatRests() {
    let packets = openConnections(20)
    let resting = pipeline(packets, whole: 3)
    let whole = pipeline(packets, whole: 20)
    let messages = openMessages(resting)
    #expect(messages.count == 40 && messages == openMessages(whole))
    let totals = resting.snapshot
    #expect(totals.apis.count == 1 && totals.apis[0].requests == 20)
    #expect("\(totals.apis)" == "\(whole.snapshot.apis)")
    #expect(resting.nextDeadline == whole.nextDeadline)
  }

  /// Those that have waited for a second rest; busy ones do not, until there are too many.
  @Test func onlyIdleOnesRest() {
    var configuration = Configuration()
    configuration.restlessConnectionLimit = 10
    configuration.wholeOpenConnectionLimit = 100
    let whole = 2000
    for (spacing, count, resting) in [(Int64(1_000_000), 90, 0), (1_000_000, 150, 50), (100_000_000, 90, 79)] {
      var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
      for packet in openConnections(count, spacing: spacing) {
        packet.octets.withOctets { pipeline.process(packet.facts, $0) }
      }
      let octets = pipeline.connectionOctets - pipeline.totals.texts.memory
      #expect(octets > (count - resting) * whole && octets < (count - resting + 1) * whole * 3 / 2 + resting * 400)
    }
  }

  /// Connections take turns, so that each rests and comes back many times, and end in an order of their own.
  @Test func manyTurns() {
    var packets: [TestPacket] = []
    for number in 0..<12 {
      var dialogue = Dialogue.opened()
      dialogue.client.port = UInt16(10_000 + number)
      for index in 0..<40 {
        dialogue.send(.client, "GET /\(index) HTTP/1.1\r\nHost: h.example\r\n\r\n")
        dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        if index % 7 == number % 7 { dialogue.repeatSegment(dialogue.segments.count - 2) }
      }
      dialogue.close(.server)
      for (index, segment) in dialogue.packets().enumerated() {
        var packet = segment
        packet.timestamp = 1_700_000_000_000_000_000 + Int64(index * 100 + number * 37 % 100) * 1000
        packets.append(packet)
      }
    }
    packets.sort { $0.timestamp < $1.timestamp }
    for whole in [1, 2, 5, 64] {
      var turns = pipeline(packets, whole: whole)
      turns.finishConnections()
      var expected = pipeline(packets, whole: 4096)
      expected.finishConnections()
      #expect(turns.sink.messages.count == 12 * 80)
      #expect(turns.sink.messages.map { "\($0)" } == expected.sink.messages.map { "\($0)" })
      #expect(turns.sink.connections.map { "\($0)" } == expected.sink.connections.map { "\($0)" })
      #expect(turns.connectionCount == 0)
    }
  }
}
