import Packets
import Shared

/// One interface, opened to capture on, through libpcap.
///
/// It captures from when it is opened; `LiveCaptureReader` then takes what it has.
public final class LiveCapture: Sendable {
  /// How to capture.
  public struct Options: Equatable, Sendable {
    /// Octets of a packet to capture at most, not above `maximumSnapshotLength`. The default loses nothing of segments
    /// that the network card puts together (64 KiB) or of jumbograms.
    public var snapshotLength: Int
    /// Octets of the kernel's ring: what this process may fall behind by before the kernel drops packets.
    public var bufferLength: Int
    /// Whether to capture packets for other hosts, too, that reach the interface.
    public var isPromiscuous: Bool
    /// Milliseconds for which the kernel may hold packets back to hand over more of them at once. On Linux it is up
    /// to twice as long.
    public var timeout: Int

    /// libpcap's limit of the snapshot length, in octets, and tcpdump's default.
    public static let maximumSnapshotLength = 262_144

    /// Whole packets, 64 MiB, not promiscuous, 100 ms, unless said otherwise.
    public init(
      snapshotLength: Int = maximumSnapshotLength, bufferLength: Int = 64 << 20, isPromiscuous: Bool = false,
      timeout: Int = 100
    ) {
      self.snapshotLength = min(max(snapshotLength, 1), Self.maximumSnapshotLength)
      self.bufferLength = bufferLength
      self.isPromiscuous = isPromiscuous
      self.timeout = max(timeout, 1)
    }
  }

  /// The interface's name.
  public let interface: String
  /// What the first octet of its packets is the start of.
  public let linkType: LinkType
  /// Octets of a packet that are captured at most.
  public let snapshotLength: Int
  /// Whether its timestamps are in nanoseconds; otherwise they are in microseconds.
  public let hasNanoseconds: Bool
  /// What libpcap warned of, such as that the device has no promiscuous mode.
  public let warnings: [String]
  /// The filter's expression; empty if all packets pass.
  public let filter: String

  private let handle: PcapHandle
  private let timeout: Int
  private let bufferLength: Int
  private let counts = Locked(Counts())
  /// Whether `takeRest` has begun; held while the handle is interrupted, since changing its mode closes what that needs.
  private let isStopping = Locked(false)

  private struct Counts {
    var received = WrappingCount()
    var droppedByKernel = WrappingCount()
    var droppedByInterface = WrappingCount()
  }

  /// Opens an interface by its name, or all with `any` where the system has that.
  ///
  /// Throws when there is no such interface, it is not up, or this process may not capture on it, saying how to permit
  /// it; and when the filter means nothing for its link type.
  public init(interface: String, filter: PacketFilter? = nil, options: Options = Options()) throws(CaptureError) {
    handle = try PcapHandle(interface, options)
    self.interface = interface
    linkType = handle.linkType
    snapshotLength = handle.snapshotLength
    hasNanoseconds = handle.hasNanoseconds
    warnings = handle.warnings
    timeout = options.timeout
    bufferLength = options.bufferLength
    self.filter = filter?.expression ?? ""
    if !self.filter.isEmpty { try handle.setFilter(self.filter, interface: interface) }
    handle.lockFilter()
  }

  /// The descriptor that packets are received with, for whoever confines this process; nil where there is none.
  public var descriptor: Int32? { handle.descriptor }

  private func failure(_ words: String) -> CaptureError {
    CaptureError(file: interface, problem: .libpcap(words))
  }
}

extension LiveCapture: PacketSource {
  package var name: String { interface }

  // The kernel hands over a partly filled block when its timer runs out the second time; and some time for the thread.
  package var delay: Duration { .milliseconds(2 * timeout + 20) }

  package func takePackets(into feed: PacketFeed) throws(CaptureError) {
    var lastTimestamp = Int64.min
    if case .failed(let words) = handle.dispatch(into: feed, lastTimestamp: &lastTimestamp) { throw failure(words) }
  }

  package func takeRest(into feed: PacketFeed) throws(CaptureError) {
    // The kernel hands over a partly filled block when its timer runs out the second time, so that what was captured
    // before now may be yet to come.
    let complete = ContinuousClock.now + .milliseconds(2 * timeout + 50)
    let stopTime = SystemClock.nanosecondsSinceEpoch
    try isStopping.withLock { isStopping throws(CaptureError) in
      isStopping = true
      try handle.stopWaiting(interface: interface)
    }
    var lastTimestamp = Int64.min
    // Octets that the ring can have then: in case that timestamps are not of this clock, and packets come faster than they
    // are taken. A limit of time would lose what is there where this thread does not run for longer than that.
    var left = 2 * bufferLength
    while lastTimestamp <= stopTime, left > 0 {
      // Asked before there is nothing: packets may come in between.
      let isComplete = ContinuousClock.now >= complete
      switch handle.dispatch(limit: 4096, into: feed, lastTimestamp: &lastTimestamp) {
      case .packets(0, _):
        if isComplete { return }
        feed.handOver()
        SystemClock.sleep(milliseconds: 10)
      // Each has a header there, of no less on any system.
      case .packets(let count, let octets): if isComplete { left -= octets + 16 * count }
      case .interrupted: break
      case .failed(let words): throw failure(words)
      }
    }
  }

  package func interrupt() {
    isStopping.withLock { if !$0 { handle.interrupt() } }
  }

  package func statistics() -> CaptureStatistics {
    counts.withLock { counts in
      // If it fails, the interface is gone, and the last counts stay.
      if let now = handle.counts {
        counts.received.update(now.received)
        counts.droppedByKernel.update(now.droppedByKernel)
        counts.droppedByInterface.update(now.droppedByInterface)
      }
      var statistics = CaptureStatistics()
      statistics.received = counts.received.total
      statistics.droppedByKernel = counts.droppedByKernel.total
      statistics.droppedByInterface = counts.droppedByInterface.total
      return statistics
    }
  }
}
