import Packets
import Shared

/// What is captured on one or several interfaces, from now until it is stopped.
///
/// A thread for each interface, or for each ring of one, puts its packets into a bounded queue, from which the reader lends them. Packets of
/// one ring come in the order in which libpcap has them. Those of several are merged by time. A packet of one ring waits while another one
/// has none, for as long as the system may hold that one's packets back: two time-outs of the captures, and some. Read with
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
  /// What `advance` came to.
  public enum Step: Equatable, Sendable {
    /// A packet, which `withPacket` lends.
    case packet
    /// No packet came in time.
    case idle
    /// All interfaces have ended, and all of their packets were lent.
    case end
  }

  /// How much the queue may hold in memory.
  public struct QueueLimits: Equatable, Sendable {
    /// Octets of all blocks together: what the analysis may fall behind by before packets are spilled, or dropped where
    /// there is no file for that. There are two blocks for each ring at least.
    public var capacity: Int
    /// Octets of one block, which takes some hundred large packets or some thousand small ones.
    public var blockLength: Int

    /// Octets of all blocks together, unless said otherwise: with the kernel's ring and what an analysis takes, a run stays
    /// well below 192 MiB.
    public static let defaultCapacity = 32 << 20

    /// 32 MiB in blocks of 1 MiB, unless said otherwise.
    public init(capacity: Int = defaultCapacity, blockLength: Int = 1 << 20) {
      self.capacity = capacity
      self.blockLength = blockLength
    }
  }

  /// The interfaces' names, by their index, which is `PacketOrigin.interface` less one.
  public let interfaces: [String]
  /// Stops the capture.
  public let stop: CaptureStop
  /// The packet that `withPacket` lends.
  @usableFromInline private(set) var current = LentPacket()
  /// The index of its interface.
  @usableFromInline private(set) var currentInterface = 0

  private let sources: [any PacketSource]
  /// The index of each source's interface.
  private let interfaceOfSource: [Int]
  /// Whether a fault of each interface was thrown: its rings all have the same.
  private var hasFailed: [Bool]
  private let feeds: [PacketFeed]
  private let threads: [SystemThread]
  private let queue: PacketQueue
  private var packets: MergedPackets

  /// Starts to capture. What the interfaces captured since they were opened comes, too.
  ///
  /// Packets for which the queue has no room are written to `file`, and read again when it is their turn.
  ///
  /// Give up privileges before: on Linux, threads that run already keep theirs. Throws when the system has no more
  /// threads.
  public init(
    _ captures: [LiveCapture], queue limits: QueueLimits = QueueLimits(), spillingTo file: SpillFile? = nil
  ) throws(CaptureError) {
    var interfaces: [Int] = []
    for capture in captures { interfaces.append((interfaces.last ?? -1) + (capture.isFurtherRing ? 0 : 1)) }
    try self.init(sources: captures, of: interfaces, queue: limits, spillingTo: file)
  }

  /// Starts to read sources, which are rings of the interfaces with these indices; nil where each is an interface of its own.
  package init(
    sources: [any PacketSource], of interfaceOfSource: [Int]? = nil, queue limits: QueueLimits = QueueLimits(),
    spillingTo file: SpillFile? = nil
  ) throws(CaptureError) {
    let interfaceOfSource = interfaceOfSource ?? Array(sources.indices)
    let queue = PacketQueue(
      feeds: sources.count, capacity: limits.capacity, blockLength: limits.blockLength,
      snapshotLength: sources.map(\.snapshotLength).max() ?? 0, file: file)
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
    interfaces = sources.indices.filter { $0 == interfaceOfSource.firstIndex(of: interfaceOfSource[$0]) }
      .map { sources[$0].name }
    packets = MergedPackets(
      queue: queue, linkTypes: sources.map(\.linkType), interfaces: interfaceOfSource,
      hold: sources.map(\.delay).max() ?? .zero)
    self.interfaceOfSource = interfaceOfSource
    hasFailed = interfaces.map { _ in false }
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

  /// Goes on to the next packet, and waits for it up to `timeout`.
  ///
  /// Throws when an interface fails, for instance because it is gone, after all packets of the ring that told it first; the next call goes on with the
  /// others. Throws as well, and goes on, when packets that were spilled cannot be read again.
  @inline(__always)
  public mutating func advance(waitingUpTo timeout: Duration) throws(CaptureError) -> Step {
    while true {
      current.withdraw()
      switch packets.advance(timeout: timeout) {
      case .packet:
        current = packets.current
        currentInterface = packets.interface
        return .packet
      case .idle: return .idle
      case .failed(let error): throw error
      case .ended(let feed, let error):
        guard let error, !hasFailed[interfaceOfSource[feed]] else { continue }
        hasFailed[interfaceOfSource[feed]] = true
        throw error
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

  /// What was captured and lost so far, by the interfaces' indices. Final after `end`.
  ///
  /// To be asked for now and then, not for each packet: it takes a system call or two.
  public var statistics: [CaptureStatistics] {
    var sums = interfaces.map { _ in CaptureStatistics() }
    for index in sources.indices {
      var statistics = sources[index].statistics()
      statistics.captured = feeds[index].capturedCount
      statistics.droppedByQueue = feeds[index].droppedCount
      statistics.unanalysed = packets.lost[index]
      sums[interfaceOfSource[index]] = sums[interfaceOfSource[index]] + statistics
    }
    return sums
  }

  /// How far the reader is behind what is captured, and was. To be asked for now and then.
  public var backlog: CaptureBacklog { packets.backlog }

  /// Whether all packets have been lent that were captured before `advance` came to `idle`, but for those that the system
  /// holds back.
  public var isCaughtUp: Bool { !packets.wasBeingSpilled }

  /// Why packets could not be spilled, if they could not since the last time that this was asked for. They stay in memory,
  /// or are dropped and counted when that is full.
  public func takeSpillFault() -> CaptureError? { packets.takeFault() }

  /// Stops the capture, and gives up all packets that were not lent: they are counted as `unanalysed`. It takes up to a few
  /// seconds; `advance` then has only errors and the end.
  public mutating func abandon() {
    stop()
    current.withdraw()
    packets.abandon(patience: .seconds(10))
  }

  /// What a capture thread does, and all that it does.
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
