import Packets
import Shared

/// The packets of one or several interfaces, from now until the capture is stopped.
///
/// A thread for each interface puts its packets into a bounded queue, from which the reader lends them. Packets of one interface
/// come in libpcap's order. Packets of several interfaces are merged by time. A packet waits while another interface has none,
/// for as long as the system may hold that one's packets back. This is a little more than two time-outs of the captures. Read
/// with
/// ```
/// while true {
///   switch try reader.advance(waitingUpTo: .milliseconds(200)) {
///   case .packet: reader.withPacket { packet, octets, interface in … }
///   case .idle: …
///   case .end: return
///   }
/// }
/// ```
public struct LiveCaptureReader: ~Copyable {
  /// A result of `advance`.
  public enum Step: Equatable, Sendable {
    /// A packet, which `withPacket` lends.
    case packet
    /// No packet came in time.
    case idle
    /// All interfaces have ended, and all of their packets were lent.
    case end
  }

  /// The limits of the queue in memory.
  public struct QueueLimits: Equatable, Sendable {
    /// Octets of all blocks together: the backlog of the analysis before packets are spilled, or dropped where there is no spill
    /// file. Each interface has at least two blocks.
    public var capacity: Int
    /// Octets of one block: some hundred large packets or some thousand small ones.
    public var blockLength: Int

    /// Default octets of all blocks together. With the kernel's ring and the analysis, a run stays well below 192 MiB.
    public static let defaultCapacity = 32 << 20

    /// By default: 32 MiB in blocks of 1 MiB.
    public init(capacity: Int = defaultCapacity, blockLength: Int = 1 << 20) {
      self.capacity = capacity
      self.blockLength = blockLength
    }
  }

  /// The interfaces' names, by their index, which is `PacketOrigin.interface` less one.
  public let interfaces: [String]
  /// Stops the capture.
  public let stop: CaptureStop
  /// The packet for `withPacket`.
  @usableFromInline private(set) var current = LentPacket()
  /// The index of its interface.
  @usableFromInline private(set) var currentInterface = 0

  private let sources: [any PacketSource]
  private let feeds: [PacketFeed]
  private let threads: [SystemThread]
  private let queue: PacketQueue
  private var packets: MergedPackets

  /// Starts to capture. It includes packets since the interfaces were opened.
  ///
  /// Packets without room in the queue are written to `file`, and read again in their turn.
  ///
  /// Give up privileges before: on Linux, running threads keep theirs. Throws when the system has no more threads.
  public init(
    _ captures: [LiveCapture], queue limits: QueueLimits = QueueLimits(), spillingTo file: SpillFile? = nil
  ) throws(CaptureError) {
    try self.init(sources: captures, queue: limits, spillingTo: file)
  }

  /// Starts to take packets from sources, by a clock.
  package init(
    sources: [any PacketSource], queue limits: QueueLimits = QueueLimits(), spillingTo file: SpillFile? = nil,
    clock: any CaptureClock = MonotonicClock()
  ) throws(CaptureError) {
    let queue = PacketQueue(
      feeds: sources.count, capacity: limits.capacity, blockLength: limits.blockLength,
      snapshotLength: sources.map(\.snapshotLength).max() ?? 0, file: file, clock: clock)
    let stop = CaptureStop(sources)
    let feeds = sources.indices.map { PacketFeed(queue: queue, index: $0) }
    var threads: [SystemThread] = []
    do throws(CaptureError) {
      for (source, feed) in zip(sources, feeds) {
        threads.append(try SystemThread(source.name) { Self.run(source, into: feed, until: stop) })
      }
    } catch let error {
      queue.close()
      stop()
      for thread in threads { thread.join() }
      throw error
    }
    interfaces = sources.map(\.name)
    packets = MergedPackets(
      queue: queue, linkTypes: sources.map(\.linkType), hold: sources.map(\.delay).max() ?? .zero, clock: clock)
    self.stop = stop
    self.sources = sources
    self.feeds = feeds
    self.threads = threads
    self.queue = queue
  }

  deinit {
    queue.close()
    stop()
    for thread in threads { thread.join() }
  }

  /// Moves to the next packet, and waits for it up to `timeout`.
  ///
  /// Throws when an interface fails, for instance because it is gone, after all of its packets. The next call continues with the
  /// others. Also throws when spilled packets cannot be read again, and then continues.
  @inline(__always)
  public mutating func advance(waitingUpTo timeout: Duration) throws(CaptureError) -> Step {
    while true {
      current.withdraw()
      switch packets.advance(timeout: timeout) {
      case .packet:
        current = packets.current
        currentInterface = packets.feed
        return .packet
      case .idle: return .idle
      case .failed(let error): throw error
      case .ended(let error): if let error { throw error }
      case .end: return .end
      }
    }
  }

  /// Lends the packet that `advance` found, and the index of its interface. Its octets are valid during the call only.
  @inlinable @inline(__always)
  public borrowing func withPacket<Result, Failure: Error>(
    _ body: (Packet, RawSpan, Int) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try current.withPacket { packet, octets throws(Failure) in try body(packet, octets, currentInterface) }
  }

  /// The counts of captured and lost packets so far, by the interfaces' indices. Final after `end`.
  ///
  /// Do not ask for each packet: it takes a system call or two.
  public var statistics: [CaptureStatistics] {
    sources.indices.map { index in
      var statistics = sources[index].statistics()
      statistics.captured = feeds[index].capturedCount
      statistics.droppedByQueue = feeds[index].droppedCount
      statistics.unanalysed = packets.lost[index]
      return statistics
    }
  }

  /// The delay of the reader, now and at its largest. Do not ask for each packet.
  public var backlog: CaptureBacklog { packets.backlog }

  /// Whether all packets before `idle` have been lent, except those that the system holds back.
  public var isCaughtUp: Bool { !packets.wasBeingSpilled }

  /// The error of spilling packets since the last call, if any. These packets stay in memory, or are dropped and counted when
  /// that is full.
  public func takeSpillFault() -> CaptureError? { packets.takeFault() }

  /// Stops the capture, and counts all packets that were not lent as `unanalysed`. It takes up to a few seconds; `advance` then
  /// has only errors and the end.
  public mutating func abandon() {
    stop()
    current.withdraw()
    packets.abandon(patience: .seconds(10))
  }

  /// The whole work of a capture thread.
  private static func run(_ source: any PacketSource, into feed: PacketFeed, until stop: CaptureStop) {
    do throws(CaptureError) {
      while !stop.isRequested {
        try source.takePackets(into: feed)
        feed.handOver()
      }
      try source.takeRest(into: feed)
      feed.finish(nil)
    } catch let error {
      feed.finish(error)
    }
  }
}
