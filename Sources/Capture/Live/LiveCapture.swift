import Packets
import Shared

/// One interface, opened for a capture through libpcap.
///
/// It captures from its opening on; `LiveCaptureReader` takes its packets.
public final class LiveCapture: Sendable {
  /// Options of a capture.
  public struct Options: Equatable, Sendable {
    /// The largest number of octets to capture of a packet, not above `maximumSnapshotLength`. The default keeps whole segments
    /// that the network card joins (64 KiB), and jumbograms.
    public var snapshotLength: Int
    /// Octets of the kernel's ring: the backlog of this process before the kernel drops packets.
    public var bufferLength: Int
    /// Whether to capture packets for other hosts that reach the interface.
    public var isPromiscuous: Bool
    /// Milliseconds for which the kernel may hold packets back to hand over more of them at once. Linux holds them up to twice as
    /// long.
    public var timeout: Int

    /// libpcap's limit of the snapshot length, in octets, and tcpdump's default.
    public static let maximumSnapshotLength = 262_144

    /// By default: whole packets, 64 MiB, not promiscuous, 100 ms.
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
  /// The protocol at the first octet of its packets.
  public let linkType: LinkType
  /// The largest number of octets that are captured of a packet.
  public let snapshotLength: Int
  /// Whether its timestamps are in nanoseconds; otherwise they are in microseconds.
  public let hasNanoseconds: Bool
  /// libpcap's warnings, such as that the device has no promiscuous mode.
  public let warnings: [String]
  /// The filter's expression; empty if all packets pass.
  public let filter: String

  private let handle: PcapHandle
  private let timeout: Int
  private let bufferLength: Int
  private let counts = Locked(Counts())
  /// Whether `takeRest` has begun. It is held while the handle is interrupted, because a change of its mode closes a file that
  /// the interruption needs.
  private let isStopping = Locked(false)

  private struct Counts {
    var received = WrappingCount()
    var droppedByKernel = WrappingCount()
    var droppedByInterface = WrappingCount()
  }

  /// Opens an interface by its name, or all with `any` where the system has that.
  ///
  /// Throws when there is no such interface, or it is not up. It also throws when this process may not capture on it; the error
  /// says how to permit it. And it throws when the filter has no meaning for its link type.
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

  /// The descriptor that receives packets, for the confinement of this process; nil without one.
  public var descriptor: Int32? { handle.descriptor }

  private func failure(_ words: String) -> CaptureError {
    CaptureError(file: interface, problem: .libpcap(words))
  }
}

extension LiveCapture: PacketSource {
  package var name: String { interface }

  // The kernel hands over a partly filled block when its timer runs out the second time. The rest is time for the thread.
  package var delay: Duration { .milliseconds(2 * timeout + 20) }

  package func takePackets(into feed: PacketFeed) throws(CaptureError) {
    var lastTimestamp = Int64.min
    if case .failed(let words) = handle.dispatch(into: feed, lastTimestamp: &lastTimestamp) { throw failure(words) }
  }

  package func takeRest(into feed: PacketFeed) throws(CaptureError) {
    // The kernel hands over a partly filled block when its timer runs out the second time. So earlier packets may be yet to come.
    let complete = ContinuousClock.now + .milliseconds(2 * timeout + 50)
    let stopTime = SystemClock.nanosecondsSinceEpoch
    try isStopping.withLock { isStopping throws(CaptureError) in
      isStopping = true
      try handle.stopWaiting(interface: interface)
    }
    var lastTimestamp = Int64.min
    // The most octets that the ring can have then. They bound the loop when timestamps are not from this clock, and packets come
    // faster than they are taken. A time limit would lose packets if this thread did not run for longer than that.
    var left = 2 * bufferLength
    while lastTimestamp <= stopTime, left > 0 {
      // This is read before the ring is empty, because packets may come in between.
      let isComplete = ContinuousClock.now >= complete
      switch handle.dispatch(limit: 4096, into: feed, lastTimestamp: &lastTimestamp) {
      case .packets(0, _):
        if isComplete { return }
        feed.handOver()
        SystemClock.sleep(milliseconds: 10)
      // Each packet has a header in the ring, of at least this size on any system.
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
      // If this fails, the interface is gone, and the last counts stay.
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
