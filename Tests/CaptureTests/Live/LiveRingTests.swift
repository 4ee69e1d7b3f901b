import HTTPReassembly
import Testing

@testable import Capture

/// Several rings of one interface, which share out its connections.
@Suite(.serialized, .timeLimit(.minutes(1))) struct LiveRingTests {
  #if os(Linux)
    private static let refusal: String? = PcapHandle.refusal(LoopbackDatagrams.interface)
  #else
    private static let refusal: String? = "rings need Linux"
  #endif
  private static let mayCapture = refusal == nil
  private static let reason: Comment = "\(LoopbackDatagrams.interface): \(refusal ?? "")"

  @Test(.enabled(if: mayCapture, reason)) func bothDirectionsComeThroughOneRing() {
    #expect(RingSymmetry.tried() == .holds)
  }

  /// Every datagram once, in order, through one interface; and through more than one ring.
  @Test(.enabled(if: mayCapture, reason)) func everyDatagramComesOnce() throws {
    let clients = try (0..<40).map { _ in try LoopbackDatagrams() }
    let server = try LoopbackDatagrams()
    let filter = try PacketFilter("udp port \(server.port)")
    let options = LiveCapture.Options(bufferLength: 6 << 20, timeout: 20)
    for ringsAreSources in [false, true] {
      let rings = try LiveCapture.rings(3, interface: LoopbackDatagrams.interface, filter: filter, options: options)
      #expect(rings.map(\.isFurtherRing) == [false, true, true])
      var reader =
        ringsAreSources ? try LiveCaptureReader(sources: rings) : try LiveCaptureReader(rings)
      for round in 0..<20 {
        for client in clients {
          try client.send(pattern(100, seed: round), to: server.port)
          try server.send(pattern(200, seed: round), to: client.port)
        }
      }
      reader.stop()
      let reading = LiveReading(&reader)
      #expect(reading.isEnded && reading.errors.isEmpty && reading.packets.count == 1_600)
      let times = reading.packets.map(\.packet.timestamp)
      #expect(times == times.sorted())
      for length in [100, 200] {
        let payloads = reading.packets.map { Array($0.packet.octets.dropFirst(42)) }.filter { $0.count == length }
        #expect(payloads == (0..<20).flatMap { Array(repeating: pattern(length, seed: $0), count: 40) })
      }
      let used = Set(reading.packets.map(\.interface))
      if ringsAreSources { #expect(used.count > 1) } else { #expect(used == [0] && reader.statistics.count == 1) }
      let sum = reader.statistics.reduce(CaptureStatistics(), +)
      #expect(sum.captured == 1_600 && sum.dropped == 0)
    }
  }

  /// What came before the last ring was open, which the others have more than once, is left out.
  @Test(.enabled(if: mayCapture, reason)) func whatCameBeforeTheLastRingIsLeftOut() throws {
    let (sender, receiver) = (try LoopbackDatagrams(), try LoopbackDatagrams())
    let handle = try PcapHandle(LoopbackDatagrams.interface, LiveCapture.Options(timeout: 1))
    try handle.setFilter("udp port \(receiver.port)", interface: LoopbackDatagrams.interface)
    try sender.send([1], to: receiver.port)
    SystemClock.sleep(milliseconds: 20)
    handle.start = SystemClock.nanosecondsSinceEpoch
    try sender.send([2], to: receiver.port)
    let queue = PacketQueue(feeds: 1, capacity: 1 << 20, blockLength: 1 << 16, snapshotLength: 100)
    let feed = PacketFeed(queue: queue, index: 0)
    var last = Int64.min
    while feed.capturedCount == 0 {
      guard case .packets = handle.dispatch(into: feed, lastTimestamp: &last) else { break }
      feed.handOver()
    }
    #expect(feed.capturedCount == 1 && handle.earlyCount == 1)
  }

  /// Rings that have one direction each, and datagrams that do not come back.
  @Test func aBrokenSymmetryIsFound() throws {
    func verdict(_ ringOf: @escaping @Sendable (_ client: Int, _ isAnswer: Bool) -> Int?) throws -> RingSymmetry {
      let rings = (0..<2).map { ring in
        FakeSource { _, feed in
          for client in 0..<10 {
            for isAnswer in [false, true] where ringOf(client, isAnswer) == ring {
              var octets = [UInt8](repeating: 0, count: 43)
              octets[isAnswer ? 35 : 37] = 9
              octets[isAnswer ? 37 : 35] = UInt8(100 + client)
              octets.withOctets { feed.append(timestamp: Int64(client), originalLength: 43, octets: $0) }
            }
          }
          return false
        }
      }
      var reader = try LiveCaptureReader(sources: rings)
      for ring in rings { ring.waitUntilDone() }
      reader.stop()
      return try RingSymmetry.verdict(&reader, server: 9, clients: (0..<10).map { 100 + $0 })
    }
    #expect(try verdict { client, _ in client % 2 } == .holds)
    #expect(try verdict { client, isAnswer in client == 4 && isAnswer ? 1 : 0 } == .isBroken)
    #expect(try verdict { _, isAnswer in isAnswer ? 1 : 0 } == .isBroken)
    let unknown = try verdict { client, isAnswer in client == 4 && isAnswer ? nil : 0 }
    guard case .isUnknown(let reason) = unknown else {
      Issue.record("\(unknown)")
      return
    }
    #expect(reason.hasSuffix(": 9 of 10 pairs of datagrams came back"))
  }
}
