import Foundation
import HTTPReassembly
import Synchronization
import Testing

@testable import Capture

/// A source of packets that a test makes up, on the capture thread.
final class FakeSource: PacketSource {
  let name: String
  let linkType: LinkType
  let snapshotLength = 2048
  let delay: Duration
  private let round: @Sendable (Int, PacketFeed) throws(CaptureError) -> Bool
  private let rest: @Sendable (PacketFeed) -> Void
  private let count = Atomic<Int>(0)
  private let isDone = DispatchSemaphore(value: 0)
  private let isInterrupted = DispatchSemaphore(value: 0)

  /// `round` is called with its number, from 0, until it returns false; then the source waits to be interrupted. `rest`
  /// is called when it was.
  init(
    _ name: String = "fake", linkType: LinkType = .ethernet, delay: Duration = .zero,
    rest: @escaping @Sendable (PacketFeed) -> Void = { _ in },
    round: @escaping @Sendable (Int, PacketFeed) throws(CaptureError) -> Bool
  ) {
    self.name = name
    self.linkType = linkType
    self.delay = delay
    self.rest = rest
    self.round = round
  }

  func takePackets(into feed: PacketFeed) throws(CaptureError) {
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    if try round(number, feed) { return }
    feed.handOver()
    isDone.signal()
    isInterrupted.wait()
  }

  func takeRest(into feed: PacketFeed) throws(CaptureError) { rest(feed) }

  func interrupt() { isInterrupted.signal() }

  func statistics() -> CaptureStatistics {
    var statistics = CaptureStatistics()
    statistics.received = 100
    statistics.droppedByKernel = 3
    return statistics
  }

  /// Waits until `round` has returned false.
  func waitUntilDone() { isDone.waitForEvent() }
}

extension [FakeSource] {
  /// Stops their capture, on another thread, when each has given all that it has.
  func stopWhenDone(_ stop: CaptureStop) {
    Thread.detachNewThread {
      for source in self { source.waitUntilDone() }
      stop()
    }
  }
}

extension PacketFeed {
  /// Appends a packet whose octets follow from its number.
  func append(_ number: Int, at timestamp: Int64? = nil, length: Int = 60, original: Int? = nil) {
    pattern(length, seed: number).withOctets {
      append(timestamp: timestamp ?? Int64(number), originalLength: original ?? length, octets: $0)
    }
  }
}

/// A packet as a live reader lent it.
struct LivePacket: Equatable {
  var packet: ReadPacket
  var interface: Int

  init(_ packet: ReadPacket, interface: Int = 0) {
    self.packet = packet
    self.interface = interface
  }

  /// What `PacketFeed.append` was given.
  init(
    _ number: Int, at timestamp: Int64? = nil, length: Int = 60, original: Int? = nil, linkType: LinkType = .ethernet,
    interface: Int = 0
  ) {
    self.init(
      ReadPacket(
        timestamp: timestamp ?? Int64(number), originalLength: original ?? length, linkType: linkType,
        octets: pattern(length, seed: number)), interface: interface)
  }
}

/// Everything that a live reader gives until its end, or, with no patience, all that is there.
struct LiveReading {
  var packets: [LivePacket] = []
  var errors: [CaptureError] = []
  var isEnded = false

  init(_ reader: inout LiveCaptureReader, patience: Duration = .seconds(Event.patience)) {
    while true {
      do throws(CaptureError) {
        switch try reader.advance(waitingUpTo: patience) {
        case .packet:
          reader.withPacket { packet, octets, interface in
            #expect(packet.origin == PacketOrigin(interface: UInt16(interface + 1)))
            packets.append(LivePacket(ReadPacket(packet, octets), interface: interface))
          }
        case .idle:
          if patience > .zero { Issue.record("the reader came to no end") }
          return
        case .end:
          isEnded = true
          return
        }
      } catch let error {
        errors.append(error)
      }
    }
  }
}
