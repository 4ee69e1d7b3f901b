import Shared

/// Which block of a source is read next, which is consumed next, and which wait in between: what the thread that reads ahead
/// shares with the consumer.
struct BlockOrder {
  /// Blocks that neither thread uses.
  private var free: [ReadAhead.Block]
  /// Blocks that were read and not consumed yet, in any order.
  private var filled: [ReadAhead.Block] = []
  /// Number of the block to be read next.
  private var nextToRead = 0
  /// Number of the block to be consumed next.
  private var nextToTake = 0
  /// Number of the first block behind the end of the source, as far as is known.
  private var end = Int.max
  /// Why the source ends there; nil when it simply ends.
  private(set) var fault: CaptureError?
  /// Whether the thread is blocked, waiting for free blocks.
  private var isWaitedForFree = false
  /// Whether the consumer is blocked, waiting for the next block.
  private var isWaitedForNext = false

  init(_ free: [ReadAhead.Block]) { self.free = free }

  /// Whether all blocks have been claimed.
  var isClaimed: Bool { nextToRead >= end }
  /// Whether all blocks have been consumed.
  var isTaken: Bool { nextToTake >= end }

  /// Gives out a free block, with the number of the block to read into it; nil if none is free, or all have been claimed.
  mutating func claim() -> ReadAhead.Block? {
    guard !isClaimed, let block = free.popLast() else { return nil }
    block.number = nextToRead
    nextToRead += 1
    return block
  }

  /// As `claim`; when nothing is free, the thread is noted as blocked.
  mutating func claimOrWait() -> ReadAhead.Block? {
    let block = claim()
    isWaitedForFree = block == nil && !isClaimed
    return block
  }

  /// Puts in a block that has been read; `isLast` if the source ends or fails behind it. Returns whether to wake the consumer.
  mutating func add(_ block: ReadAhead.Block, isLast: Bool, fault: CaptureError?) -> Bool {
    let behind = block.number + (block.count > 0 ? 1 : 0)
    if isLast, behind < end {
      end = behind
      self.fault = fault
    }
    filled.append(block)
    return (isTaken || next != nil) && isWaitedForNext.take()
  }

  /// Hands out the block to be consumed next; nil if it has not been read, or there is none.
  mutating func take() -> ReadAhead.Block? {
    guard !isTaken, let next else { return nil }
    nextToTake += 1
    return filled.remove(at: next)
  }

  /// Notes that the consumer is blocked, waiting for the next block.
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
