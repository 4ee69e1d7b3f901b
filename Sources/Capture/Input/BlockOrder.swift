import Shared

/// Which block of a source is read next, which is taken next, and which were read in between: what the two threads share that
/// read a source ahead.
struct BlockOrder {
  /// Blocks that nobody reads into or from.
  private var free: [ReadAhead.Block]
  /// Blocks that were read and not taken yet, in any order.
  private var filled: [ReadAhead.Block] = []
  /// Number of the block to be read next.
  private var nextToRead = 0
  /// Number of the block to be taken next.
  private var nextToTake = 0
  /// Number of the first block that there will not be, as far as is known.
  private var end = Int.max
  /// Why there will not be that block; nil when the source ends there.
  private(set) var fault: CaptureError?
  /// Whether the thread waits for free blocks.
  private var isWaitedForFree = false
  /// Whether who takes waits for the next block.
  private var isWaitedForNext = false

  init(_ free: [ReadAhead.Block]) { self.free = free }

  /// Whether all blocks have been claimed.
  var isClaimed: Bool { nextToRead >= end }
  /// Whether all blocks have been taken.
  var isTaken: Bool { nextToTake >= end }

  /// Gives out a free block to read the next one into, which its number says; nil if none is free, or there is no next one.
  mutating func claim() -> ReadAhead.Block? {
    guard !isClaimed, let block = free.popLast() else { return nil }
    block.number = nextToRead
    nextToRead += 1
    return block
  }

  /// As `claim`, and has the thread wait when nothing is free.
  mutating func claimOrWait() -> ReadAhead.Block? {
    let block = claim()
    isWaitedForFree = block == nil && !isClaimed
    return block
  }

  /// Puts in a block that has been read; `isLast` if the source ends or fails behind it. Returns whether to wake who takes.
  mutating func add(_ block: ReadAhead.Block, isLast: Bool, fault: CaptureError?) -> Bool {
    let behind = block.number + (block.count > 0 ? 1 : 0)
    if isLast, behind < end {
      end = behind
      self.fault = fault
    }
    filled.append(block)
    return (isTaken || next != nil) && isWaitedForNext.take()
  }

  /// Hands out the block to be taken next; nil if it has not been read, or there is none.
  mutating func take() -> ReadAhead.Block? {
    guard !isTaken, let next else { return nil }
    nextToTake += 1
    return filled.remove(at: next)
  }

  /// Has who takes wait for the next block.
  mutating func waitForNext() { isWaitedForNext = true }

  /// Takes a block back. Returns whether to wake the thread, which is worth it for two.
  mutating func recycle(_ block: ReadAhead.Block) -> Bool {
    free.append(block)
    return free.count > 1 && isWaitedForFree.take()
  }

  /// Ends it: nobody takes any more. Returns whether to wake the thread.
  mutating func close() -> Bool {
    end = 0
    return isWaitedForFree.take()
  }

  /// Where the block to be taken next is.
  private var next: Int? { filled.firstIndex { $0.number == nextToTake } }
}
