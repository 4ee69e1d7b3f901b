import Dispatch
import Packets
import Shared
import Synchronization
import SystemPackage

/// A bounded queue of packets between capture threads and one reader.
///
/// Each thread fills blocks through a feed of its own. The lock is taken once per block and per pause in the traffic, never once
/// per packet. When all blocks are in use, a thread writes its block to the spill file, if any, and fills it again. The reader
/// takes spilled packets in their turn, so that each feed's packets stay in order. When the file is full, too, the feeds drop
/// packets and count them. Unsafe site: memory that is lent to be read into.
final class PacketQueue: Sendable {
  /// The least number of blocks of each interface: one is filled while the other is read.
  private static let minimumBlocks = 2

  private let blockLength: Int
  private let file: SpillFile?
  private let clock: any CaptureClock
  private let state: Locked<State>
  /// Wakes the reader if it waits.
  private let bell = DispatchSemaphore(value: 0)

  private struct State {
    /// Entries of each feed that are not taken yet.
    var deposits: [Deposit]
    /// Unused blocks; the latest, whose memory is warm, is at the end.
    var free: [PacketBlock] = []
    /// The number of blocks that may still be allocated.
    var allocatable: Int
    /// The places of the file.
    var slots: SpillSlots
    /// The packets in the file, now and at most.
    var backlog = CaptureBacklog()
    /// The number of feeds that are writing to the file; their packets are neither handed over nor taken.
    var writers = 0
    /// The error of writing to it; nil after it was reported.
    var fault: Errno?
    /// Whether feeds were writing when the reader last found no packets.
    var wasBeingSpilled = false
    var isReaderWaiting = false
    /// Whether the reader is gone.
    var isClosed = false

    /// An unused block.
    mutating func takeFree(length: Int) -> PacketBlock? {
      if let block = free.popLast() { return block }
      guard allocatable > 0 else { return nil }
      allocatable -= 1
      return PacketBlock(capacity: length)
    }
  }

  /// The hand-overs of one feed.
  private struct Deposit {
    var entries: [Entry] = []
    var end: End?
  }

  /// Packets of one feed that were handed over together.
  enum Entry {
    /// In memory.
    case block(PacketBlock)
    /// On disk.
    case spilled(SpilledBlock)
  }

  /// One or several blocks on disk, in one slot of the file.
  struct SpilledBlock {
    fileprivate let slot: Int
    /// Octets.
    fileprivate(set) var count = 0
    /// The number of packets.
    fileprivate(set) var packets = 0
    /// The time when the first of them was handed over.
    let handedOver: ContinuousClock.Instant
    /// The time when the last of them was handed over.
    fileprivate(set) var completed: ContinuousClock.Instant
  }

  /// The end of a feed.
  struct End {
    /// The error; nil if the feed was stopped.
    var error: CaptureError?
  }

  /// A queue for `feeds` feeds with up to `capacity` octets in memory, besides `file`. Its blocks have `blockLength` octets, or
  /// more if a packet of `snapshotLength` octets needs them.
  init(
    feeds: Int, capacity: Int, blockLength: Int, snapshotLength: Int, file: SpillFile?, clock: any CaptureClock
  ) {
    self.blockLength = max(blockLength, PacketBlock.length(captured: snapshotLength))
    self.file = file
    self.clock = clock
    let blocks = max(capacity / self.blockLength, Self.minimumBlocks * feeds)
    let deposits = (0..<feeds).map { _ in
      var deposit = Deposit()
      deposit.entries.reserveCapacity(blocks)
      return deposit
    }
    let slots = (file?.capacity ?? 0) / self.blockLength
    state = Locked(State(deposits: deposits, allocatable: blocks, slots: SpillSlots(count: slots)))
  }

  // MARK: For feeds

  /// The block that a feed keeps back from the start, before others take all of them; nil without a file.
  func firstSpare() -> PacketBlock? {
    file == nil ? nil : state.withLock { $0.takeFree(length: blockLength) }
  }

  /// Hands over `block`, if there is one, and returns another with room for `length` octets; nil if the queue is full.
  ///
  /// Without `block`, it may return the latest one if the reader has not taken it. So a reader that is behind finds full blocks,
  /// not many of a few packets.
  func nextBlock(
    after block: PacketBlock?, of feed: Int, for length: Int, spare: inout PacketBlock?
  ) -> PacketBlock? {
    let hasSpare = spare != nil
    let next = state.withLock { state -> PacketBlock? in
      if block == nil, let last = reopened(feed, for: length, in: &state) { return last }
      guard length <= blockLength, !hasSpare, !state.isClosed else { return nil }
      return state.takeFree(length: blockLength)
    }
    guard let block else { return next ?? spare.take() }
    if let next = next ?? spare.take() {
      state.withLock { deposit(block, of: feed, in: &$0) }
      return next
    }
    if spill(block, of: feed) { return block }
    state.withLock { deposit(block, of: feed, in: &$0) }
    return nil
  }

  /// Hands over a block. Returns the block if it was written to the file and may be filled again.
  func handOver(_ block: PacketBlock, of feed: Int, spare: inout PacketBlock?) -> PacketBlock? {
    if file != nil, spare == nil {
      spare = state.withLock { $0.isClosed ? nil : $0.takeFree(length: blockLength) }
      if spare == nil, spill(block, of: feed) { return block }
    }
    state.withLock { deposit(block, of: feed, in: &$0) }
    return nil
  }

  /// Ends a feed.
  func finish(_ feed: Int, _ end: End) {
    state.withLock { state in
      state.deposits[feed].end = end
      wakeReader(&state)
    }
  }

  /// The block that was handed over last, if it has room and the reader has not taken it.
  private func reopened(_ feed: Int, for length: Int, in state: inout State) -> PacketBlock? {
    guard case .block(let last) = state.deposits[feed].entries.last, last.room >= length else { return nil }
    state.deposits[feed].entries.removeLast()
    return last
  }

  /// Writes a block to the file, and empties it; false without a file, without room in it, or on an error.
  private func spill(_ block: PacketBlock, of feed: Int) -> Bool {
    guard let file, var spilled = reserve(block, of: feed) else { return false }
    let known = spilled
    var fault: Errno?
    do throws(Errno) {
      try file.write(block, at: spilled.slot * blockLength + spilled.count)
      spilled.count += block.count
      spilled.packets += block.packets
      spilled.completed = clock.now
    } catch {
      fault = error
    }
    state.withLock { state in
      state.writers -= 1
      state.fault = fault ?? state.fault
      if spilled.count > 0 {
        state.deposits[feed].entries.append(.spilled(spilled))
        state.backlog.add(packets: spilled.packets - known.packets, octets: spilled.count - known.count)
        wakeReader(&state)
      } else {
        state.slots.give(spilled.slot)
      }
    }
    guard fault == nil else { return false }
    block.empty()
    return true
  }

  /// Reserves a place in the file for a block, which belongs to the feed until it is handed over. It is in the feed's latest slot,
  /// if that has room and the reader has not taken it. So pauses do not use up slots.
  private func reserve(_ block: PacketBlock, of feed: Int) -> SpilledBlock? {
    let now = clock.now
    return state.withLock { state in
      guard !state.isClosed else { return nil }
      if case .spilled(let last) = state.deposits[feed].entries.last, last.count + block.count <= blockLength {
        state.deposits[feed].entries.removeLast()
        state.writers += 1
        return last
      }
      guard let slot = state.slots.take() else { return nil }
      state.writers += 1
      return SpilledBlock(slot: slot, handedOver: block.handedOver ?? now, completed: now)
    }
  }

  private func deposit(_ block: PacketBlock, of feed: Int, in state: inout State) {
    if state.isClosed { return }
    let now = clock.now
    block.handedOver = block.handedOver ?? now
    block.completed = now
    state.deposits[feed].entries.append(.block(block))
    wakeReader(&state)
  }

  private func wakeReader(_ state: inout State) {
    guard state.isReaderWaiting else { return }
    state.isReaderWaiting = false
    bell.signal()
  }

  // MARK: For the reader

  /// Takes all feeds' entries. Without any, waits for them until `end`; if that is nil, does not wait.
  ///
  /// Appends to `entries` and sets `ends`, which have an element for each feed. Returns whether there was something.
  func take(_ entries: inout [[Entry]], _ ends: inout [End?], until end: ContinuousClock.Instant?) -> Bool {
    if takeNow(&entries, &ends, elseWait: end != nil) { return true }
    // Everything was read, so the file's disk space is given back.
    file?.empty { state.withLock { $0.slots.areAllFree } }
    guard let end else { return false }
    if !clock.wait(for: bell, until: end) {
      let wasRung = state.withLock { state in
        defer { state.isReaderWaiting = false }
        return !state.isReaderWaiting
      }
      // The bell rang in the meantime, and must not ring again at the next wait.
      if wasRung { bell.wait() }
    }
    return takeNow(&entries, &ends, elseWait: false)
  }

  private func takeNow(_ entries: inout [[Entry]], _ ends: inout [End?], elseWait: Bool) -> Bool {
    state.withLock { state in
      var isSomething = false
      for feed in state.deposits.indices {
        if !state.deposits[feed].entries.isEmpty {
          isSomething = true
          entries[feed] += state.deposits[feed].entries
          state.deposits[feed].entries.removeAll(keepingCapacity: true)
        }
        if let end = state.deposits[feed].end, ends[feed] == nil {
          isSomething = true
          ends[feed] = end
        }
      }
      state.isReaderWaiting = !isSomething && elseWait
      state.wasBeingSpilled = !isSomething && state.writers > 0
      return isSomething
    }
  }

  /// An empty block for spilled packets, apart from the feeds' blocks.
  func blockForSpilled() -> PacketBlock { PacketBlock(capacity: blockLength) }

  /// Reads spilled packets into a block, in place of its content. Throws when they cannot be read; then they are gone.
  func load(_ spilled: SpilledBlock, into block: PacketBlock) throws(CaptureError) {
    guard let file else { preconditionFailure("spilled without a file") }
    defer { forget(spilled) }
    do throws(Errno) {
      try unsafe block.refill(
        count: spilled.count, packets: spilled.packets, handedOver: spilled.handedOver, completed: spilled.completed
      ) { memory throws(Errno) in
        try unsafe file.read(into: memory, at: spilled.slot * blockLength)
      }
    } catch {
      throw CaptureError(file: "spill file in \(file.folder)", problem: .readFailed(errno: error.rawValue))
    }
  }

  /// Gives back the place of spilled packets that are not needed any more.
  func forget(_ spilled: SpilledBlock) {
    state.withLock { state in
      state.slots.give(spilled.slot)
      state.backlog.add(packets: -spilled.packets, octets: -spilled.count)
    }
  }

  /// Gives back a block that has been read.
  func recycle(_ block: PacketBlock) {
    block.empty()
    state.withLock { $0.free.append(block) }
  }

  /// Whether a feed was writing packets to the file when `take` found none: they are older than all later ones.
  var wasBeingSpilled: Bool { state.withLock { $0.wasBeingSpilled } }

  /// The packets on disk, now and at most; the reader adds the delays.
  var backlog: CaptureBacklog { state.withLock { $0.backlog } }

  /// The error of writing packets to the file since the last call, if any.
  func takeFault() -> CaptureError? {
    guard let file, let fault = state.withLock({ $0.fault.take() }) else { return nil }
    return CaptureError(file: "spill file in \(file.folder)", problem: .cannotWrite(errno: fault.rawValue))
  }

  /// Notes that the reader is gone: all later packets are dropped.
  func close() {
    state.withLock { state in
      state.isClosed = true
      for feed in state.deposits.indices { state.deposits[feed].entries = [] }
      state.free = []
    }
  }
}

extension CaptureBacklog {
  /// Counts packets written to the file, or, with negative figures, read back.
  fileprivate mutating func add(packets: Int, octets: Int) {
    spilledPackets += packets
    spilledOctets += octets
    mostSpilledPackets = max(mostSpilledPackets, spilledPackets)
    mostSpilledOctets = max(mostSpilledOctets, spilledOctets)
  }
}
