import Packets

/// The reader's end of the queue: the taken packets as one sequence.
///
/// Waiting packets are merged by time. A packet is held back while an earlier one of another feed may be yet to come. That ends
/// when each feed has a packet, or has had time to hand one over. Packets on disk are read in their turn, a block of each feed at
/// a time.
struct MergedPackets: ~Copyable {
  /// A result of `advance`.
  enum Step {
    /// A packet, which is `current`.
    case packet
    /// No packet came in time.
    case idle
    /// Packets that waited on disk could not be read.
    case failed(CaptureError)
    /// A feed ended, and all of its packets have been lent.
    case ended(CaptureError?)
    /// All feeds have ended before.
    case end
  }

  /// The packet that `advance` found.
  private(set) var current = LentPacket()
  /// The feed of that packet.
  private(set) var feed = 0
  /// Packets that were captured and never lent, by feed.
  private(set) var lost: [UInt64]

  private let queue: PacketQueue
  private let linkTypes: [LinkType]
  /// Entries taken from each feed that are not opened.
  private var waiting: [[PacketQueue.Entry]]
  /// The current block of each feed.
  private var open: [PacketBlock?]
  private var positions: [Position]
  private var lanes: [Lane]
  private var ends: [PacketQueue.End?]
  /// Whether `ended` was returned, by feed.
  private var isTold: [Bool]
  /// The error of reading packets back; nil after it was returned.
  private var fault: CaptureError?
  private var longestDelay = Duration.zero
  /// The longest time for which a feed may keep a packet before it hands it over.
  private let hold: Duration
  private let clock: any CaptureClock
  /// Blocks that were handed over by this time are settled: no feed can still have an earlier packet.
  private var settled: ContinuousClock.Instant

  /// The position of a feed's next packet.
  private struct Position {
    /// Its offset in the open block.
    var offset = 0
    /// Its time; nil if there is no packet.
    var timestamp: Int64?
    /// Whether the feed may have more packets.
    var isOpen = true
  }

  /// Further state of a feed, used once a block.
  private struct Lane {
    /// The index of the first entry in `waiting` that was not opened.
    var next = 0
    /// The block before the open one; `current` may still be in it.
    var last: PacketBlock?
    /// Blocks for packets from disk: the open one and the one before. Made when the first are needed.
    var own: [PacketBlock] = []
  }

  /// Reads the feeds of a queue. `hold` is the longest time for which a feed may keep a packet before it hands it over.
  init(queue: PacketQueue, linkTypes: [LinkType], hold: Duration, clock: any CaptureClock) {
    self.queue = queue
    self.hold = hold
    self.clock = clock
    // Feeds that began earlier may have handed packets over that have to wait.
    settled = clock.now - hold
    self.linkTypes = linkTypes
    lost = linkTypes.map { _ in 0 }
    waiting = linkTypes.map { _ in [] }
    open = linkTypes.map { _ in nil }
    positions = linkTypes.map { _ in Position() }
    lanes = linkTypes.map { _ in Lane() }
    ends = linkTypes.map { _ in nil }
    isTold = linkTypes.map { _ in false }
  }

  /// Moves to the next packet, and waits for it up to `timeout`.
  @inline(__always)
  mutating func advance(timeout: Duration) -> Step {
    current.withdraw()
    return lendEarliest() ? .packet : takeMore(timeout: timeout)
  }

  @inline(never)
  private mutating func takeMore(timeout: Duration) -> Step {
    giveBack()
    let limit = timeout > .zero ? clock.now + timeout : nil
    while true {
      if let fault {
        self.fault = nil
        return .failed(fault)
      }
      for feed in ends.indices where !isTold[feed] && positions[feed].timestamp == nil {
        guard let end = ends[feed] else { continue }
        isTold[feed] = true
        return .ended(end.error)
      }
      if !isTold.contains(false) { return .end }
      let release = endOfHold
      let isMore = queue.take(&waiting, &ends, until: limit.map { min($0, release ?? $0) })
      for feed in waiting.indices {
        positions[feed].isOpen = ends[feed] == nil
        if positions[feed].timestamp == nil { openNext(of: feed) }
      }
      if lendEarliest() { return .packet }
      // A feed may have rung, and have taken its block back to fill it.
      guard isMore || limit.map({ clock.now < $0 }) ?? false else { return .idle }
    }
  }

  /// Lends the earliest of the taken packets; false if there is none, or it has to wait.
  @inline(__always)
  private mutating func lendEarliest() -> Bool {
    var earliest: (feed: Int, timestamp: Int64)?
    var mayComeEarlier = false
    for index in positions.indices {
      guard let timestamp = positions[index].timestamp else {
        if positions[index].isOpen { mayComeEarlier = true }
        continue
      }
      if let found = earliest, found.timestamp <= timestamp { continue }
      earliest = (index, timestamp)
    }
    guard let earliest, !mayComeEarlier || isSettled(earliest.feed) else { return false }
    feed = earliest.feed
    lend(from: feed)
    return true
  }

  /// Whether no feed can still have a packet earlier than the next packet of this one.
  private mutating func isSettled(_ feed: Int) -> Bool {
    guard hold > .zero, let completed = open[feed]?.completed else { return true }
    if completed <= settled { return true }
    settled = clock.now - hold
    return completed <= settled
  }

  /// The time until which the earliest packet has to wait; nil without one.
  private var endOfHold: ContinuousClock.Instant? {
    let waiting = positions.indices.filter { positions[$0].timestamp != nil }
    guard let first = waiting.min(by: { (positions[$0].timestamp ?? 0) < (positions[$1].timestamp ?? 0) }) else {
      return nil
    }
    return open[first]?.completed.map { $0 + hold }
  }

  @inline(__always)
  private mutating func lend(from feed: Int) {
    guard let block = open[feed] else { preconditionFailure("a packet without its block") }
    let next = block.lend(at: positions[feed].offset, linkType: linkTypes[feed], to: &current)
    current.packet.origin = PacketOrigin(interface: UInt16(truncatingIfNeeded: feed + 1))
    if next < block.count {
      positions[feed].offset = next
      positions[feed].timestamp = block.timestamp(at: next)
    } else {
      startNextBlock(of: feed)
    }
  }

  /// Gives back the block before the current one of a feed, and opens the next.
  @inline(never)
  private mutating func startNextBlock(of feed: Int) {
    giveBackLast(of: feed)
    // `current` is still in this block, so it is kept.
    lanes[feed].last = open[feed]
    openNext(of: feed)
  }

  /// Opens the next taken block of a feed, if there is one.
  private mutating func openNext(of feed: Int) {
    open[feed] = nil
    positions[feed].offset = 0
    positions[feed].timestamp = nil
    while lanes[feed].next < waiting[feed].count {
      let entry = waiting[feed][lanes[feed].next]
      lanes[feed].next += 1
      switch entry {
      case .block(let block): open[feed] = block
      case .spilled(let spilled): open[feed] = read(spilled, of: feed)
      }
      guard let block = open[feed] else { continue }
      positions[feed].timestamp = block.timestamp(at: 0)
      return
    }
    waiting[feed].removeAll(keepingCapacity: true)
    lanes[feed].next = 0
  }

  /// Reads a spilled block back into memory; nil on an error.
  private mutating func read(_ spilled: PacketQueue.SpilledBlock, of feed: Int) -> PacketBlock? {
    let block: PacketBlock
    if let free = lanes[feed].own.first(where: { $0 !== lanes[feed].last }) {
      block = free
    } else {
      block = queue.blockForSpilled()
      lanes[feed].own.append(block)
    }
    do throws(CaptureError) { try queue.load(spilled, into: block) } catch {
      lost[feed] += UInt64(spilled.packets)
      fault = error
      return nil
    }
    return block
  }

  /// Gives back the last block of each feed when everything has been lent.
  private mutating func giveBack() {
    for feed in lanes.indices { giveBackLast(of: feed) }
  }

  private mutating func giveBackLast(of feed: Int) {
    guard let block = lanes[feed].last.take() else { return }
    if let time = block.handedOver { longestDelay = max(longestDelay, time.duration(to: clock.now)) }
    if !lanes[feed].own.contains(where: { $0 === block }) { queue.recycle(block) }
  }

  // MARK: Falling behind

  /// The delay, now and at its largest.
  var backlog: CaptureBacklog {
    var backlog = queue.backlog
    let oldest = open.compactMap { $0?.handedOver }.min()
    backlog.delay = oldest?.duration(to: clock.now) ?? .zero
    backlog.longestDelay = max(longestDelay, backlog.delay)
    return backlog
  }

  /// Counts all packets as lost that were not lent, and all until the feeds end, which were asked to. After that, only the feeds'
  /// ends follow. Waits for them no longer than `patience`.
  mutating func abandon(patience: Duration) {
    guard isTold.contains(false) else { return }
    current.withdraw()
    longestDelay = backlog.longestDelay
    for feed in open.indices {
      if let block = open[feed] {
        lost[feed] += UInt64(block.packets(from: positions[feed].offset))
        giveBackLast(of: feed)
        lanes[feed].last = block
      }
      giveBackLast(of: feed)
      open[feed] = nil
      positions[feed] = Position()
    }
    let end = clock.now + patience
    var isEndMissing: Bool
    repeat {
      for feed in waiting.indices {
        for entry in waiting[feed][lanes[feed].next...] {
          switch entry {
          case .block(let block):
            lost[feed] += UInt64(block.packets)
            queue.recycle(block)
          case .spilled(let spilled):
            lost[feed] += UInt64(spilled.packets)
            queue.forget(spilled)
          }
        }
        waiting[feed].removeAll(keepingCapacity: true)
        lanes[feed].next = 0
      }
      isEndMissing = ends.contains { $0 == nil }
    } while queue.take(&waiting, &ends, until: isEndMissing ? end : nil) || isEndMissing && clock.now < end
  }

  /// Whether earlier packets may be yet to come, although none was available.
  var wasBeingSpilled: Bool { queue.wasBeingSpilled }

  /// The error of spilling packets since the last call, if any.
  func takeFault() -> CaptureError? { queue.takeFault() }
}
