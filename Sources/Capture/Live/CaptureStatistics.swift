/// The numbers of packets that a live capture has seen and lost so far, on one interface or on all together.
public struct CaptureStatistics: Equatable, Sendable {
  /// Packets that passed the filter, as the operating system counts them. Linux includes dropped packets, and counts loopback
  /// packets twice.
  public var received: UInt64 = 0
  /// Packets that reached this program, including those that its queue dropped.
  public var captured: UInt64 = 0
  /// Packets that the operating system dropped because its ring was full.
  public var droppedByKernel: UInt64 = 0
  /// Packets that the interface or its driver dropped, if libpcap tells: on Linux only for promiscuous captures.
  public var droppedByInterface: UInt64 = 0
  /// Packets that this program dropped because the analysis was behind by the whole queue, in memory and on disk.
  public var droppedByQueue: UInt64 = 0
  /// Packets that waited for the analysis and never reached it: they could not be read back, or time ran out at the end.
  public var unanalysed: UInt64 = 0

  /// Counts of 0.
  public init() {}

  /// All lost packets.
  public var dropped: UInt64 { droppedByKernel + droppedByInterface + droppedByQueue + unanalysed }

  /// The counts since an earlier time.
  static func - (later: CaptureStatistics, earlier: CaptureStatistics) -> CaptureStatistics {
    var difference = later
    difference.received -= min(later.received, earlier.received)
    difference.captured -= min(later.captured, earlier.captured)
    difference.droppedByKernel -= min(later.droppedByKernel, earlier.droppedByKernel)
    difference.droppedByInterface -= min(later.droppedByInterface, earlier.droppedByInterface)
    difference.droppedByQueue -= min(later.droppedByQueue, earlier.droppedByQueue)
    difference.unanalysed -= min(later.unanalysed, earlier.unanalysed)
    return difference
  }

  /// Adds up the counts of two interfaces.
  public static func + (a: CaptureStatistics, b: CaptureStatistics) -> CaptureStatistics {
    var sum = a
    sum.received += b.received
    sum.captured += b.captured
    sum.droppedByKernel += b.droppedByKernel
    sum.droppedByInterface += b.droppedByInterface
    sum.droppedByQueue += b.droppedByQueue
    sum.unanalysed += b.unanalysed
    return sum
  }
}

/// A count that the system reports in 32 bits, extended to 64; a busy interface overflows 32 bits within hours.
///
/// It must be read at least once in every 2³² packets.
struct WrappingCount {
  private var last: UInt32 = 0
  /// The whole count.
  private(set) var total: UInt64 = 0

  /// Takes the current count as reported.
  mutating func update(_ reported: UInt32) {
    total += UInt64(reported &- last)
    last = reported
  }
}
