import Shared

/// The blocks of a source: the next to be read, the next to be consumed, and the waiting ones between them. The reading thread
/// and the consumer share it.
struct BlockOrder {
  /// Unused blocks.
  private var free: [ReadAhead.Block]
  /// Blocks that were read and not consumed yet, in any order.
  private var filled: [ReadAhead.Block] = []
  /// Number of the block to be read next.
  private var nextToRead = 0
  /// Number of the block to be consumed next.
  private var nextToTake = 0
  /// Number of the first block after the end of the source, if known.
  private var end = Int.max
  /// The error at the end of the source; nil for a regular end.
  private(set) var fault: CaptureError?
  /// Whether the thread is blocked until blocks are free.
  private var isWaitedForFree = false
  /// Whether the consumer is blocked until the next block is read.
  private var isWaitedForNext = false

  init(_ free: [ReadAhead.Block]) { self.free = free }

  /// Whether all blocks have been claimed.
  var isClaimed: Bool { nextToRead >= end }
  /// Whether all blocks have been consumed.
  var isTaken: Bool { nextToTake >= end }

  /// Returns a free block, with the number of the block to read into it; nil if none is free, or all have been claimed.
  mutating func claim() -> ReadAhead.Block? {
    guard !isClaimed, let block = free.popLast() else { return nil }
    block.number = nextToRead
    nextToRead += 1
    return block
  }

  /// As `claim`; when no block is free, the thread counts as blocked.
  mutating func claimOrWait() -> ReadAhead.Block? {
    let block = claim()
    isWaitedForFree = block == nil && !isClaimed
    return block
  }

  /// Adds a block that has been read; `isLast` if the source ends or fails after it. Returns whether to wake the consumer.
  mutating func add(_ block: ReadAhead.Block, isLast: Bool, fault: CaptureError?) -> Bool {
    let behind = block.number + (block.count > 0 ? 1 : 0)
    if isLast, behind < end {
      end = behind
      self.fault = fault
    }
    filled.append(block)
    return (isTaken || next != nil) && isWaitedForNext.take()
  }

  /// Returns the block to be consumed next; nil if it has not been read, or there is none.
  mutating func take() -> ReadAhead.Block? {
    guard !isTaken, let next else { return nil }
    nextToTake += 1
    return filled.remove(at: next)
  }

  /// Notes that the consumer is blocked until the next block is read.
  mutating func waitForNext() { isWaitedForNext = true }

  /// Takes a block back. Returns whether to wake the thread, which is worth its cost for two blocks.
  mutating func recycle(_ block: ReadAhead.Block) -> Bool {
    free.append(block)
    return free.count > 1 && isWaitedForFree.take()
  }

  /// Notes that the consumer is gone. Returns whether to wake the thread.
  mutating func close() -> Bool {
    end = 0
    return isWaitedForFree.take()
  }

  /// Index of the block to be consumed next.
  private var next: Int? { filled.firstIndex { $0.number == nextToTake } }
}
