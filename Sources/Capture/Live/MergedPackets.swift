import Packets

/// The reader's end of the queue: what was taken from it, as one sequence of packets.
///
/// Everything that waits is taken at once, and merged by time before more is taken.
struct MergedPackets: ~Copyable {
  /// What `advance` came to.
  enum Step {
    /// A packet, which is `current`.
    case packet
    /// There was nothing to be had in time.
    case idle
    /// A feed ended; all that came of it has been lent.
    case ended(CaptureError?)
    /// All feeds have ended before.
    case end
  }

  /// The packet that `advance` found.
  private(set) var current = LentPacket()
  /// The feed that it is of.
  private(set) var feed = 0

  private let queue: PacketQueue
  private let linkTypes: [LinkType]
  /// Blocks that were taken, of each feed, and not given back.
  private var blocks: [[PacketBlock]]
  private var positions: [Position]
  private var ends: [PacketQueue.End?]
  /// The feeds of which `ended` was returned.
  private var isTold: [Bool]

  /// Where a feed's next packet is.
  private struct Position {
    /// Its block; those before it were given back.
    var block = 0
    /// Its offset in the block.
    var offset = 0
    /// Its time; nil if there is no packet.
    var timestamp: Int64?
  }

  init(queue: PacketQueue, linkTypes: [LinkType]) {
    self.queue = queue
    self.linkTypes = linkTypes
    blocks = linkTypes.map { _ in [] }
    positions = linkTypes.map { _ in Position() }
    ends = linkTypes.map { _ in nil }
    isTold = linkTypes.map { _ in false }
  }

  /// Goes on to the next packet, and waits for it up to `timeout`.
  @inline(__always)
  mutating func advance(timeout: Duration) -> Step {
    current.withdraw()
    return lendEarliest() ? .packet : takeMore(timeout: timeout)
  }

  @inline(never)
  private mutating func takeMore(timeout: Duration) -> Step {
    while true {
      // All that came before these ends has been lent, or there would be no need for more.
      for feed in ends.indices where !isTold[feed] {
        guard let end = ends[feed] else { continue }
        isTold[feed] = true
        return .ended(end.error)
      }
      if !isTold.contains(false) { return .end }
      guard queue.take(&blocks, &ends, timeout: timeout) else { return .idle }
      for feed in blocks.indices {
        positions[feed] = Position(timestamp: blocks[feed].first?.timestamp(at: 0))
      }
      if lendEarliest() { return .packet }
    }
  }

  /// Lends the packet that was captured first among those that have been taken; false if there is none.
  @inline(__always)
  private mutating func lendEarliest() -> Bool {
    var earliest: (feed: Int, timestamp: Int64)?
    for index in positions.indices {
      guard let timestamp = positions[index].timestamp else { continue }
      if let found = earliest, found.timestamp <= timestamp { continue }
      earliest = (index, timestamp)
    }
    guard let earliest else {
      giveBack()
      return false
    }
    feed = earliest.feed
    lend(from: feed)
    return true
  }

  @inline(__always)
  private mutating func lend(from feed: Int) {
    let position = positions[feed]
    let block = blocks[feed][position.block]
    let next = block.lend(at: position.offset, linkType: linkTypes[feed], to: &current)
    current.packet.origin = PacketOrigin(interface: UInt16(truncatingIfNeeded: feed + 1))
    if next < block.count {
      positions[feed].offset = next
      positions[feed].timestamp = block.timestamp(at: next)
    } else {
      startNextBlock(of: feed)
    }
  }

  /// Gives back the blocks before the one that a feed's packet was just lent from, and goes on to the one behind it.
  @inline(never)
  private mutating func startNextBlock(of feed: Int) {
    let last = positions[feed].block
    // Not the last, which `current` is still in.
    if last > 0 { queue.recycle(blocks[feed][last - 1]) }
    let next = last + 1
    positions[feed] = Position(block: next)
    if next < blocks[feed].count { positions[feed].timestamp = blocks[feed][next].timestamp(at: 0) }
  }

  /// Gives back what is left when everything has been lent: the last block of each feed.
  private mutating func giveBack() {
    for feed in blocks.indices {
      if let last = blocks[feed].last { queue.recycle(last) }
      blocks[feed].removeAll(keepingCapacity: true)
    }
  }
}
