import Packets
import Synchronization

/// One capture thread's way into the queue. Unsafe sites: packets of libpcap, lent for the time of one call.
///
/// Only that thread uses it, except for the counts.
package final class PacketFeed: @unchecked Sendable {
  private let queue: PacketQueue
  private let index: Int
  /// The block that is being filled; nil until there is a packet for it.
  private var block: PacketBlock?
  /// An empty block that is kept back when another one is handed over. With a spill file, a thread so always has memory to fill
  /// and to write from, even when the reader has all other blocks.
  private var spare: PacketBlock?
  private var captured: UInt64 = 0
  private let publishedCaptured = Atomic<UInt64>(0)
  private let publishedDropped = Atomic<UInt64>(0)

  init(queue: PacketQueue, index: Int) {
    self.queue = queue
    self.index = index
    spare = queue.firstSpare()
  }

  /// Copies a packet into the queue, or drops and counts it if the queue is full.
  @inline(__always)
  func append(timestamp: Int64, originalLength: UInt32, octets: UnsafeRawBufferPointer) {
    captured &+= 1
    if let block, unsafe block.append(timestamp: timestamp, originalLength: originalLength, octets: octets) { return }
    unsafe appendToNextBlock(timestamp: timestamp, originalLength: originalLength, octets: octets)
  }

  /// Copies a packet into the queue, or drops and counts it if the queue is full.
  package func append(timestamp: Int64, originalLength: Int, octets: RawSpan) {
    unsafe octets.withUnsafeBytes {
      unsafe append(timestamp: timestamp, originalLength: UInt32(clamping: originalLength), octets: $0)
    }
  }

  @inline(never)
  private func appendToNextBlock(timestamp: Int64, originalLength: UInt32, octets: UnsafeRawBufferPointer) {
    block = queue.nextBlock(after: block, of: index, for: PacketBlock.length(captured: octets.count), spare: &spare)
    if let block, unsafe block.append(timestamp: timestamp, originalLength: originalLength, octets: octets) { return }
    publishedDropped.wrappingAdd(1, ordering: .relaxed)
  }

  /// Hands the appended packets over to the reader.
  func handOver() {
    publishedCaptured.store(captured, ordering: .relaxed)
    guard let block, block.count > 0 else { return }
    self.block = queue.handOver(block, of: index, spare: &spare)
  }

  /// Hands the appended packets over to the reader, and ends the feed.
  func finish(_ error: CaptureError?) {
    handOver()
    queue.finish(index, PacketQueue.End(error: error))
  }

  /// Packets appended until the last hand-over, including dropped ones. On any thread.
  var capturedCount: UInt64 { publishedCaptured.load(ordering: .relaxed) }

  /// Packets that were dropped so far. On any thread.
  var droppedCount: UInt64 { publishedDropped.load(ordering: .relaxed) }
}
