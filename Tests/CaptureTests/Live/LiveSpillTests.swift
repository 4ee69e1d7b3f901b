import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import Capture

/// Packets that do not fit into memory wait on disk: every one of them comes, once, whole and in its order.
@Suite(.timeLimit(.minutes(10))) struct LiveSpillTests {
  private let folder = FileManager.default.temporaryDirectory.path

  private func file(_ capacity: Int) throws -> SpillFile { try SpillFile(in: folder, capacity: capacity) }

  @Test func whatDoesNotFitIntoMemoryComesFromDisk() throws {
    let source = FakeSource { round, feed in
      for number in 0..<1000 { feed.append(round * 1000 + number, length: 1000) }
      return round < 9
    }
    // 81 packets in memory, the others on disk, and a block to write from.
    let limits = LiveCaptureReader.QueueLimits(capacity: 100_000, blockLength: 10_000)
    let clock = DrivenClock()
    var reader = try LiveCaptureReader(sources: [source], queue: limits, spillingTo: file(20_000_000), clock: clock)
    source.waitUntilDone()
    clock.advance(by: .seconds(3))
    let before = reader.backlog
    #expect(before.spilledPackets > 9800 && before.spilledPackets <= 9919)
    #expect(before.spilledOctets == before.spilledPackets * 1016)
    reader.stop()
    let reading = LiveReading(&reader)
    #expect(reading.packets == (0..<10_000).map { LivePacket($0, length: 1000) })
    #expect(reading.isEnded && reading.errors.isEmpty)
    #expect(reader.statistics[0].captured == 10_000 && reader.statistics[0].dropped == 3)
    let after = reader.backlog
    #expect(after.spilledPackets == 0 && after.spilledOctets == 0 && after.delay == .zero)
    #expect(after.mostSpilledPackets >= before.spilledPackets && after.longestDelay == .seconds(3))
  }

  /// What came first stays; what does not fit on disk either is dropped and counted, and then there is room again.
  @Test func aFullFileDropsAndCounts() throws {
    let source = FakeSource(rest: { for number in 5000..<5090 { $0.append(number, length: 1000) } }) { round, feed in
      for number in 0..<1000 { feed.append(number, length: 1000) }
      return false
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 100_000, blockLength: 10_000)
    // Nine of 1,016 octets in each of ten blocks, and in each of five slots: 5 more octets are no slot.
    var reader = try LiveCaptureReader(sources: [source], queue: limits, spillingTo: file(50_005))
    source.waitUntilDone()
    #expect(reader.statistics[0].droppedByQueue == 1000 - 135)
    var reading = LiveReading(&reader, patience: .zero)
    #expect(reading.packets == (0..<135).map { LivePacket($0, length: 1000) })
    reader.stop()
    reading = LiveReading(&reader)
    #expect(reading.packets == (5000..<5090).map { LivePacket($0, length: 1000) })
    #expect(reader.statistics[0].droppedByQueue == 1000 - 135)
  }

  /// Pauses in the traffic do not use up slots of the file.
  @Test func pausesDoNotUseUpSlots() throws {
    let source = FakeSource { round, feed in
      feed.append(round, length: 1000)
      return round < 49
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 0, blockLength: 10_000)
    var reader = try LiveCaptureReader(sources: [source], queue: limits, spillingTo: file(50_000))
    source.waitUntilDone()
    reader.stop()
    #expect(LiveReading(&reader).packets == (0..<50).map { LivePacket($0, length: 1000) })
    #expect(reader.statistics[0].droppedByQueue == 0)
  }

  /// A block is as long as the largest packet needs, in memory and on disk, whatever length was asked for.
  @Test func aSlotIsLargeEnoughForAnyPacket() throws {
    let source = FakeSource { round, feed in
      feed.append(round, length: 2048)
      return round < 9
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 0, blockLength: 0)
    var reader = try LiveCaptureReader(sources: [source], queue: limits, spillingTo: file(8 * 2064))
    source.waitUntilDone()
    reader.stop()
    #expect(LiveReading(&reader).packets == (0..<10).map { LivePacket($0, length: 2048) })
    #expect(reader.statistics[0].droppedByQueue == 0)
  }

  /// A file with no room for a block is as none.
  @Test func aFileThatIsTooSmallIsNotUsed() throws {
    let source = FakeSource { round, feed in
      for number in 0..<100 { feed.append(number, length: 1000) }
      return false
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 20_000, blockLength: 10_000)
    var reader = try LiveCaptureReader(sources: [source], queue: limits, spillingTo: file(9999))
    source.waitUntilDone()
    reader.stop()
    let packets = LiveReading(&reader).packets
    #expect(packets == (0..<packets.count).map { LivePacket($0, length: 1000) })
    #expect((9...18).contains(packets.count))
    #expect(reader.statistics[0].droppedByQueue == UInt64(100 - packets.count))
    #expect(reader.backlog.mostSpilledPackets == 0)
  }

  /// Bursts, pauses and sizes by chance, from several interfaces at once, with a reader that now keeps up and now does not: memory
  /// and file are filled and emptied again and again, at every place of either, and each feed's packets come in order.
  @Test(arguments: 0..<12) func everyPacketComesOnceAndInOrder(_ number: Int) throws {
    var random = SeededRandom(seed: UInt64(number))
    let feeds = 1 + number % 3
    let rounds = 60
    let pace = LivePace(rounds: feeds * rounds)
    let seeds = (0..<feeds).map { _ in random.next() }
    let sources = seeds.map { seed in
      FakeSource("\(seed)") { round, feed in
        var random = SeededRandom(seed: seed &+ UInt64(round))
        for index in 0..<Int.random(in: 0...300, using: &random) {
          let length = Int.random(in: 0...2048, using: &random)
          [UInt8](repeating: UInt8(truncatingIfNeeded: index ^ length), count: length).withOctets {
            feed.append(timestamp: Int64(round * 1000 + index), originalLength: length, octets: $0)
          }
        }
        if Bool.random(using: &random) { pace.waitForReader() }
        pace.endRound()
        return round < rounds - 1
      }
    }
    let limits = LiveCaptureReader.QueueLimits(
      capacity: .random(in: 0...100_000, using: &random), blockLength: .random(in: 2064...10_000, using: &random))
    var reader = try LiveCaptureReader(sources: sources, queue: limits, spillingTo: file(64 << 20), clock: pace.clock)
    sources.stopWhenDone(reader.stop)
    pace.waitForRounds(feeds * 10)
    var last = [Int64](repeating: -1, count: feeds)
    var seen = [UInt64](repeating: 0, count: feeds)
    var (isInOrder, isWhole) = (true, true)
    while try reader.advance(waitingUpTo: .seconds(5)) == .packet {
      reader.withPacket { packet, octets, interface in
        seen[interface] += 1
        isInOrder = isInOrder && packet.timestamp > last[interface]
        last[interface] = packet.timestamp
        let value = UInt8(truncatingIfNeeded: Int(packet.timestamp % 1000) ^ octets.byteCount)
        isWhole = isWhole && octets.byteCount == packet.originalLength
        isWhole = isWhole && octets.hasSameOctets(as: [UInt8](repeating: value, count: octets.byteCount))
      }
      if Int.random(in: 0..<400, using: &random) == 0 { pace.waitForRounds(.random(in: 1...4, using: &random)) }
    }
    #expect(try reader.advance(waitingUpTo: .zero) == .end)
    #expect(isInOrder && isWhole)
    for (seen, statistics) in zip(seen, reader.statistics) {
      #expect(seen == statistics.captured && statistics.droppedByQueue == 0 && statistics.unanalysed == 0)
    }
    #expect(reader.backlog.spilledPackets == 0 && reader.backlog.mostSpilledPackets > 0)
  }

  /// A file of a few slots and several threads: it is full now and then, and nothing is lost uncounted or out of order.
  @Test func aFileThatIsFullNowAndThen() throws {
    let pace = LivePace(rounds: 2 * 50)
    let sources = (0..<2).map { _ in
      FakeSource { round, feed in
        for number in 0..<1000 { feed.append(round * 1000 + number, length: number % 100) }
        if round % 10 == 9 { pace.waitForReader() }
        pace.endRound()
        return round < 49
      }
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 1 << 16, blockLength: 1 << 13)
    var reader = try LiveCaptureReader(sources: sources, queue: limits, spillingTo: file(1 << 17), clock: pace.clock)
    sources.stopWhenDone(reader.stop)
    // The memory and the file have less than three rounds.
    pace.waitForRounds(9)
    var seen: [UInt64] = [0, 0]
    var last: [Int64] = [-1, -1]
    var isInOrder = true
    while try reader.advance(waitingUpTo: .seconds(5)) == .packet {
      reader.withPacket { packet, octets, interface in
        seen[interface] += 1
        isInOrder = isInOrder && packet.timestamp > last[interface] && octets.byteCount == packet.originalLength
        last[interface] = packet.timestamp
      }
    }
    #expect(try reader.advance(waitingUpTo: .zero) == .end)
    #expect(isInOrder)
    #expect(reader.statistics.contains { $0.droppedByQueue > 0 })
    for (seen, statistics) in zip(seen, reader.statistics) {
      #expect(statistics.captured == 50_000 && seen + statistics.droppedByQueue == 50_000)
    }
    #expect(reader.backlog.spilledPackets == 0)
  }

  /// Who gives up what waits has it counted, wherever it waits.
  @Test(arguments: [0, 1, 8, 9, 10, 89, 90, 95, 500]) func whatIsAbandonedIsCounted(_ read: Int) throws {
    let source = FakeSource(rest: { for number in 1000..<1090 { $0.append(number, length: 1000) } }) { _, feed in
      for number in 0..<1000 { feed.append(number, length: 1000) }
      return false
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 100_000, blockLength: 10_000)
    // It waits for the source without a limit, since the clock stands still.
    var reader = try LiveCaptureReader(
      sources: [source], queue: limits, spillingTo: file(5_000_000), clock: DrivenClock())
    source.waitUntilDone()
    for number in 0..<read {
      #expect(try reader.advance(waitingUpTo: .seconds(5)) == .packet)
      reader.withPacket { packet, _, _ in #expect(packet.timestamp == Int64(number)) }
    }
    reader.abandon()
    #expect(LiveReading(&reader).packets.isEmpty)
    let statistics = reader.statistics[0]
    #expect(statistics.captured == 1090 && statistics.droppedByQueue == 0)
    #expect(statistics.unanalysed == UInt64(1090 - read))
    #expect(statistics.dropped == UInt64(1090 - read) + 3)
    #expect(reader.backlog.spilledPackets == 0)
  }

  @Test func slotsAreUsedAgain() {
    var slots = SpillSlots(count: 3)
    #expect(slots.areAllFree)
    #expect([slots.take(), slots.take(), slots.take(), slots.take()] == [0, 1, 2, nil])
    slots.give(1)
    #expect(!slots.areAllFree && slots.take() == 1 && slots.take() == nil)
    for slot in [2, 0, 1] { slots.give(slot) }
    #expect(slots.areAllFree && slots.take() == 0)
    #expect(SpillSlots(count: 0).areAllFree)
  }

  @Test func theFileHasNoNameAndGivesBackItsRoom() throws {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("spill-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let file = try SpillFile(in: scratch.path, capacity: 1 << 20)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    #expect(file.capacity == 1 << 20)
    let block = PacketBlock(capacity: 4096)
    #expect(
      pattern(1000, seed: 3).withOctets { octets in
        unsafe octets.withUnsafeBytes { unsafe block.append(timestamp: 5, originalLength: 1000, octets: $0) }
      })
    try file.write(block, at: 8192)
    #expect(file.length == 8192 + block.count)
    file.empty { false }
    #expect(file.length == 8192 + block.count)
    let copy = PacketBlock(capacity: 4096)
    func refill(_ offset: Int) throws {
      try unsafe copy.refill(count: block.count, packets: 1, handedOver: .now, completed: .now) { memory in
        try unsafe file.read(into: memory, at: offset)
      }
    }
    try refill(8192)
    #expect(copy.count == block.count && copy.packets == 1 && copy.timestamp(at: 0) == 5)
    // What is not there is an error, and no packets.
    #expect(throws: (any Error).self) { try refill(8193) }
    #expect(copy.count == 0 && copy.packets == 0)
    file.empty { true }
    #expect(file.length == 0)
    #expect(throws: CaptureError.self) { try SpillFile(in: scratch.path + "/none", capacity: 1) }
  }
}
