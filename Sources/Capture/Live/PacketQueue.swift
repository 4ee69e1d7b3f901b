import Dispatch
import Packets
import Shared
import Synchronization

/// A bounded queue of packets between capture threads and one reader.
///
/// Each thread fills blocks through a feed of its own; the lock is taken once per block and per pause in the traffic,
/// never once per packet. When all blocks wait to be read, the feeds drop packets and count them.
final class PacketQueue: Sendable {
  /// Blocks of each interface at least: one that is filled while the other is read.
  private static let minimumBlocks = 2

  private let blockLength: Int
  private let state: Locked<State>
  /// Rung when there is something for the reader, if it waits.
  private let bell = DispatchSemaphore(value: 0)

  private struct State {
    /// What was handed over and not taken yet, of each feed.
    var deposits: [Deposit]
    /// Blocks that nobody uses; the one used last, whose memory is warm, at the end.
    var free: [PacketBlock] = []
    /// Blocks that may still be allocated.
    var allocatable: Int
    var isReaderWaiting = false
    /// Whether there is no reader any more.
    var isClosed = false
  }

  /// What one feed handed over.
  private struct Deposit {
    var blocks: [PacketBlock] = []
    var end: End?
  }

  /// How a feed ended.
  struct End {
    /// Why; nil if it was stopped.
    var error: CaptureError?
  }

  /// A queue for `feeds` feeds that holds up to `capacity` octets, in blocks of `blockLength` octets or as many as a
  /// packet of `snapshotLength` octets needs.
  init(feeds: Int, capacity: Int, blockLength: Int, snapshotLength: Int) {
    self.blockLength = max(blockLength, PacketBlock.length(captured: snapshotLength))
    let blocks = max(capacity / self.blockLength, Self.minimumBlocks * feeds)
    let deposits = (0..<feeds).map { _ in
      var deposit = Deposit()
      deposit.blocks.reserveCapacity(blocks)
      return deposit
    }
    state = Locked(State(deposits: deposits, allocatable: blocks))
  }

  // MARK: For feeds

  /// Hands over `block`, if there is one, and returns another with room for `length` octets; nil if the queue is full.
  ///
  /// Without a block to hand over that may be the one handed over last, if the reader has not taken it: so a reader that
  /// has fallen behind finds full blocks, not many of a few packets.
  func exchange(_ block: PacketBlock?, of feed: Int, for length: Int) -> PacketBlock? {
    state.withLock { state in
      if let block {
        deposit(block, of: feed, in: &state)
      } else if let last = state.deposits[feed].blocks.last, last.room >= length {
        return state.deposits[feed].blocks.removeLast()
      }
      guard !state.isClosed, length <= blockLength else { return nil }
      if let free = state.free.popLast() { return free }
      guard state.allocatable > 0 else { return nil }
      state.allocatable -= 1
      return PacketBlock(capacity: blockLength)
    }
  }

  /// Hands over a block.
  func handOver(_ block: PacketBlock, of feed: Int) {
    state.withLock { deposit(block, of: feed, in: &$0) }
  }

  /// Says that nothing more comes of a feed.
  func finish(_ feed: Int, _ end: End) {
    state.withLock { state in
      state.deposits[feed].end = end
      wakeReader(&state)
    }
  }

  private func deposit(_ block: PacketBlock, of feed: Int, in state: inout State) {
    if state.isClosed { return }
    state.deposits[feed].blocks.append(block)
    wakeReader(&state)
  }

  private func wakeReader(_ state: inout State) {
    guard state.isReaderWaiting else { return }
    state.isReaderWaiting = false
    bell.signal()
  }

  // MARK: For the reader

  /// Takes what all feeds handed over. If that is nothing, waits for it, but not longer than `timeout`.
  ///
  /// Appends to `blocks` and sets `ends`, which have an element for each feed. Returns whether there was something.
  func take(_ blocks: inout [[PacketBlock]], _ ends: inout [End?], timeout: Duration) -> Bool {
    if takeNow(&blocks, &ends, elseWait: timeout > .zero) { return true }
    guard timeout > .zero else { return false }
    if bell.wait(timeout: .now() + timeout.dispatchInterval) == .timedOut {
      let wasRung = state.withLock { state in
        defer { state.isReaderWaiting = false }
        return !state.isReaderWaiting
      }
      // It rang in the meantime, and must not ring again at the next wait.
      if wasRung { bell.wait() }
    }
    return takeNow(&blocks, &ends, elseWait: false)
  }

  private func takeNow(_ blocks: inout [[PacketBlock]], _ ends: inout [End?], elseWait: Bool) -> Bool {
    state.withLock { state in
      var isSomething = false
      for feed in state.deposits.indices {
        if !state.deposits[feed].blocks.isEmpty {
          isSomething = true
          blocks[feed] += state.deposits[feed].blocks
          state.deposits[feed].blocks.removeAll(keepingCapacity: true)
        }
        if let end = state.deposits[feed].end, ends[feed] == nil {
          isSomething = true
          ends[feed] = end
        }
      }
      state.isReaderWaiting = !isSomething && elseWait
      return isSomething
    }
  }

  /// Gives back a block that has been read.
  func recycle(_ block: PacketBlock) {
    block.empty()
    state.withLock { $0.free.append(block) }
  }

  /// Says that the reader is gone: what comes from now on is dropped.
  func close() {
    state.withLock { state in
      state.isClosed = true
      for feed in state.deposits.indices { state.deposits[feed].blocks = [] }
      state.free = []
    }
  }
}

extension Duration {
  /// For Dispatch, in nanoseconds.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    // A day, beyond which nobody waits, and far below what overflows.
    return .nanoseconds(Int(min(seconds, 86_400)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}

/// One capture thread's way into the queue. Unsafe sites: packets of libpcap, lent for the time of one call.
///
/// Everything but the counts is used on that thread only.
package final class PacketFeed: @unchecked Sendable {
  private let queue: PacketQueue
  private let index: Int
  /// What is being filled; nil until there is a packet for it.
  private var block: PacketBlock?
  private var captured: UInt64 = 0
  private let publishedCaptured = Atomic<UInt64>(0)
  private let publishedDropped = Atomic<UInt64>(0)

  init(queue: PacketQueue, index: Int) {
    self.queue = queue
    self.index = index
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
    block = queue.exchange(block, of: index, for: PacketBlock.length(captured: octets.count))
    if let block, unsafe block.append(timestamp: timestamp, originalLength: originalLength, octets: octets) { return }
    publishedDropped.wrappingAdd(1, ordering: .relaxed)
  }

  /// Lets the reader have what was appended.
  func handOver() {
    publishedCaptured.store(captured, ordering: .relaxed)
    guard let block else { return }
    queue.handOver(block, of: index)
    self.block = nil
  }

  /// Lets the reader have what was appended, and says that nothing more comes.
  func finish(_ error: CaptureError?) {
    handOver()
    queue.finish(index, PacketQueue.End(error: error))
  }

  /// Packets that were appended until they were last handed over, the dropped ones included. On any thread.
  var capturedCount: UInt64 { publishedCaptured.load(ordering: .relaxed) }

  /// Packets that were dropped so far. On any thread.
  var droppedCount: UInt64 { publishedDropped.load(ordering: .relaxed) }
}
