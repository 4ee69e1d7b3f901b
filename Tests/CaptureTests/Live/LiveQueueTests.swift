import Dispatch
import HTTPReassembly
import Synchronization
import Testing

@testable import Capture

@Suite(.timeLimit(.minutes(10))) struct LiveQueueTests {
  @Test func packetsComeInOrderWithAllThatIsKnownOfThem() throws {
    let source = FakeSource("lan", linkType: .raw) { round, feed in
      feed.append(round * 2, length: round, original: 1500)
      feed.append(round * 2 + 1, at: -1, length: 0)
      return round < 99
    }
    var reader = try LiveCaptureReader(sources: [source])
    source.waitUntilDone()
    reader.stop()
    let reading = LiveReading(&reader)
    #expect(reader.interfaces == ["lan"])
    #expect(reading.isEnded)
    #expect(reading.errors.isEmpty)
    #expect(
      reading.packets
        == (0..<100).flatMap { round in
          [
            LivePacket(round * 2, length: round, original: 1500, linkType: .raw),
            LivePacket(round * 2 + 1, at: -1, length: 0, linkType: .raw),
          ]
        })
    reader.withPacket { _, octets, _ in precondition(octets.byteCount == 0) }
  }

  @Test func aFullQueueDropsAndCounts() throws {
    let source = FakeSource { round, feed in
      for number in 0..<1000 { feed.append(round * 1000 + number, length: 1000) }
      return round < 9
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 100_000, blockLength: 10_000)
    var reader = try LiveCaptureReader(sources: [source], queue: limits)
    source.waitUntilDone()
    let before = reader.statistics
    #expect(before[0].captured == 10_000)
    // Nine of 1,016 octets in each of ten blocks.
    #expect(before[0].droppedByQueue == 10_000 - 90)
    #expect(before[0].received == 100)
    #expect(before[0].droppedByKernel == 3)
    #expect(before[0].dropped == 10_000 - 90 + 3)
    reader.stop()
    let reading = LiveReading(&reader)
    #expect(reading.packets == (0..<90).map { LivePacket($0, length: 1000) })
    #expect(reader.statistics == before)
  }

  /// Blocks that were read are used again, and what was dropped does not keep what comes later from passing.
  @Test func aQueueThatWasFullTakesPacketsAgain() throws {
    let source = FakeSource(rest: { for number in 1000..<1090 { $0.append(number, length: 1000) } }) { round, feed in
      for number in 0..<100 { feed.append(number, length: 1000) }
      return false
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 100_000, blockLength: 10_000)
    var reader = try LiveCaptureReader(sources: [source], queue: limits)
    source.waitUntilDone()
    var reading = LiveReading(&reader, patience: .zero)
    #expect(!reading.isEnded)
    #expect(reading.packets == (0..<90).map { LivePacket($0, length: 1000) })
    reader.stop()
    reading = LiveReading(&reader)
    #expect(reading.packets == (1000..<1090).map { LivePacket($0, length: 1000) })
    #expect(reader.statistics[0].droppedByQueue == 10)
  }

  /// A reader that has fallen behind does not find a block for each pause in the traffic.
  @Test func pausesDoNotUseUpBlocks() throws {
    let source = FakeSource { round, feed in
      feed.append(round)
      return round < 199
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 20_000, blockLength: 10_000)
    var reader = try LiveCaptureReader(sources: [source], queue: limits)
    source.waitUntilDone()
    reader.stop()
    #expect(LiveReading(&reader).packets == (0..<200).map { LivePacket($0) })
    #expect(reader.statistics[0].droppedByQueue == 0)
  }

  @Test func aBlockIsLargeEnoughForAnyPacket() throws {
    let source = FakeSource { round, feed in
      feed.append(round, length: 2048)
      return round < 3
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 0, blockLength: 0)
    var reader = try LiveCaptureReader(sources: [source], queue: limits)
    source.waitUntilDone()
    reader.stop()
    #expect(LiveReading(&reader).packets == (0..<2).map { LivePacket($0, length: 2048) })
    #expect(reader.statistics[0].droppedByQueue == 2)
  }

  @Test func whatIsThereIsMergedByTime() throws {
    let even = FakeSource("even") { round, feed in
      for number in 0..<1000 { feed.append(number * 2) }
      return false
    }
    let odd = FakeSource("odd", linkType: .raw) { round, feed in
      for number in 0..<1000 { feed.append(number * 2 + 1) }
      return false
    }
    let none = FakeSource("none") { _, _ in false }
    let limits = LiveCaptureReader.QueueLimits(capacity: 1 << 20, blockLength: 5000)
    var reader = try LiveCaptureReader(sources: [even, none, odd], queue: limits)
    for source in [even, none, odd] { source.waitUntilDone() }
    reader.stop()
    let expected = (0..<2000).map {
      LivePacket($0, linkType: $0 % 2 == 0 ? .ethernet : .raw, interface: $0 % 2 == 0 ? 0 : 2)
    }
    #expect(LiveReading(&reader).packets == expected)
  }

  /// A packet is held back for an earlier one that another feed hands over later, but not for longer than feeds take for that.
  @Test func anEarlierPacketOfAnotherFeedComesFirst() throws {
    let clock = DrivenClock()
    let isSlowDue = DispatchSemaphore(value: 0)
    let quick = FakeSource("quick", delay: .milliseconds(400)) { round, feed in
      feed.append(round == 0 ? 2 : 4)
      return round < 1
    }
    let slow = FakeSource("slow", delay: .milliseconds(300)) { _, feed in
      isSlowDue.waitForEvent()
      feed.append(1)
      feed.append(3)
      return false
    }
    var reader = try LiveCaptureReader(sources: [quick, slow], clock: clock)
    /// The packets that there are without waiting.
    func numbers() -> [Int64] { LiveReading(&reader, patience: .zero).packets.map(\.packet.timestamp) }
    quick.waitUntilDone()
    #expect(numbers() == [])
    clock.advance(by: .milliseconds(399))
    #expect(numbers() == [])
    isSlowDue.signal()
    slow.waitUntilDone()
    #expect(numbers() == [1, 2, 3])
    // The last one is followed by nothing of the other feed, so it waits.
    clock.advance(by: .milliseconds(1))
    #expect(numbers() == [4])
    // When the feeds end, nothing waits any more.
    reader.stop()
    #expect(LiveReading(&reader).isEnded)
  }

  /// Who waits for a packet that is held back has it as soon as it need not wait.
  @Test func waitingEndsWhenAPacketIsNotHeldBackAnyMore() throws {
    let clock = DrivenClock()
    let quick = FakeSource("quick", delay: .milliseconds(400)) { _, feed in
      feed.append(1)
      return false
    }
    let slow = FakeSource("slow") { _, _ in false }
    var reader = try LiveCaptureReader(sources: [quick, slow], clock: clock)
    quick.waitUntilDone()
    clock.onWait(until: clock.start + .milliseconds(100)) { clock.advance(by: .milliseconds(100)) }
    #expect(try reader.advance(waitingUpTo: .milliseconds(100)) == .idle)
    clock.onWait(until: clock.start + .milliseconds(400)) { clock.advance(by: .milliseconds(300)) }
    #expect(try reader.advance(waitingUpTo: .seconds(5)) == .packet)
    #expect(clock.now == clock.start + .milliseconds(400))
  }

  /// A feed that ends has nothing that another one's packets could wait for.
  @Test func nothingIsHeldBackForAFeedThatHasEnded() throws {
    let gone = CaptureError(file: "gone", problem: .libpcap("The interface disappeared"))
    let isGone = DispatchSemaphore(value: 0)
    let quick = FakeSource("quick", delay: .milliseconds(400)) { _, feed in
      feed.append(1)
      return false
    }
    let failing = FakeSource("gone") { _, _ throws(CaptureError) in
      isGone.waitForEvent()
      throw gone
    }
    var reader = try LiveCaptureReader(sources: [quick, failing], clock: DrivenClock())
    quick.waitUntilDone()
    #expect(try reader.advance(waitingUpTo: .zero) == .idle)
    isGone.signal()
    #expect(try reader.advance(waitingUpTo: .seconds(5)) == .packet)
    #expect(throws: gone) { try reader.advance(waitingUpTo: .seconds(5)) }
  }

  @Test func aFailureComesAfterThePacketsAndLeavesTheOthers() throws {
    let gone = CaptureError(file: "gone", problem: .libpcap("The interface disappeared"))
    let failing = FakeSource("gone") { round, feed throws(CaptureError) in
      feed.append(1)
      throw gone
    }
    let other = FakeSource("other", rest: { $0.append(3) }) { round, feed in
      feed.append(2)
      return false
    }
    var reader = try LiveCaptureReader(sources: [failing, other], clock: DrivenClock())
    var events: [String] = []
    while events.count < 3 {
      do throws(CaptureError) {
        // The clock stands still: each of these comes, however late.
        guard try reader.advance(waitingUpTo: .seconds(5)) == .packet else { break }
        reader.withPacket { packet, _, interface in events.append("\(interface) \(packet.timestamp)") }
      } catch {
        #expect(error == gone)
        events.append("gone")
      }
    }
    #expect(events.filter { $0 != "1 2" } == ["0 1", "gone"])
    #expect(try reader.advance(waitingUpTo: .zero) == .idle)
    reader.stop()
    let reading = LiveReading(&reader)
    #expect(reading.packets == [LivePacket(3, interface: 1)])
    #expect(reading.isEnded && reading.errors.isEmpty)
    #expect(try reader.advance(waitingUpTo: .zero) == .end)
  }

  @Test func waitingEndsWithTimeOrWithAPacket() throws {
    let clock = DrivenClock()
    let source = FakeSource { round, feed in
      if round == 1 {
        clock.waitForWait(until: clock.start + .milliseconds(20) + .seconds(30))
        feed.append(7)
      }
      return round < 1
    }
    var reader = try LiveCaptureReader(sources: [source], clock: clock)
    #expect(try reader.advance(waitingUpTo: .zero) == .idle)
    clock.onWait(until: clock.start + .milliseconds(20)) { clock.advance(by: .milliseconds(20)) }
    #expect(try reader.advance(waitingUpTo: .milliseconds(20)) == .idle)
    #expect(clock.now == clock.start + .milliseconds(20))
    #expect(try reader.advance(waitingUpTo: .seconds(30)) == .packet)
    #expect(clock.now == clock.start + .milliseconds(20))
    #expect(try reader.advance(waitingUpTo: .zero) == .idle)
  }

  /// Time that is over and a packet may come together: the packet is taken, and the next wait is as long as it should be.
  @Test func aPacketMayComeAsTheTimeIsOver() throws {
    let clock = DrivenClock()
    let source = FakeSource { _, feed in
      clock.waitForWait(until: clock.start + .milliseconds(20))
      clock.advance(by: .milliseconds(20)) {
        feed.append(7)
        feed.handOver()
      }
      return false
    }
    var reader = try LiveCaptureReader(sources: [source], clock: clock)
    #expect(try reader.advance(waitingUpTo: .milliseconds(20)) == .packet)
    source.waitUntilDone()
    clock.onWait(until: clock.start + .milliseconds(30)) { clock.advance(by: .milliseconds(10)) }
    #expect(try reader.advance(waitingUpTo: .milliseconds(10)) == .idle)
    #expect(clock.now == clock.start + .milliseconds(30))
  }

  @Test(arguments: [0, 1]) func aReaderThatIsGivenUpEndsItsThreads(_ read: Int) throws {
    let ended = Atomic<Int>(0)
    for number in 1...20 {
      let sources = [true, false].map { hasMore in
        FakeSource(rest: { _ in ended.add(1, ordering: .relaxed) }) { round, feed in
          if hasMore { feed.append(round) }
          return hasMore
        }
      }
      do {
        var reader = try LiveCaptureReader(sources: sources, clock: DrivenClock())
        for _ in 0..<read { #expect(try reader.advance(waitingUpTo: .seconds(5)) == .packet) }
      }
      #expect(ended.load(ordering: .relaxed) == 2 * number)
    }
  }

  /// Two threads fill, one reads, and the queue is full now and then: nothing is lost uncounted or out of order.
  @Test func threadsAgree() throws {
    let octets = pattern(100)
    let sources = (0..<2).map { _ in
      FakeSource { round, feed in
        for number in 0..<1000 {
          octets.withOctets {
            feed.append(
              timestamp: Int64(round * 1000 + number), originalLength: 100, octets: $0.extracting(0..<number % 100))
          }
        }
        return round < 199
      }
    }
    let limits = LiveCaptureReader.QueueLimits(capacity: 1 << 18, blockLength: 1 << 14)
    var reader = try LiveCaptureReader(sources: sources, queue: limits, clock: DrivenClock())
    sources.stopWhenDone(reader.stop)
    var seen: [UInt64] = [0, 0]
    var last: [Int64] = [-1, -1]
    // Expected once and not per packet, since that would take longer than all else.
    var isInOrder = true
    while try reader.advance(waitingUpTo: .seconds(1)) == .packet {
      reader.withPacket { packet, octets, interface in
        seen[interface] += 1
        isInOrder = isInOrder && packet.timestamp > last[interface] && octets.byteCount == Int(packet.timestamp % 100)
        last[interface] = packet.timestamp
      }
    }
    #expect(try reader.advance(waitingUpTo: .zero) == .end)
    #expect(isInOrder)
    for (seen, statistics) in zip(seen, reader.statistics) {
      #expect(statistics.captured == 200_000)
      #expect(seen + statistics.droppedByQueue == 200_000)
    }
  }

  @Test func countsOf32BitsGoOn() {
    var count = WrappingCount()
    count.update(4_000_000_000)
    count.update(10)
    #expect(count.total == 4_294_967_306)
    count.update(10)
    #expect(count.total == 4_294_967_306)
  }
}
