import Packets

/// Recognizes packets that were captured more than once: at several points of one path, or on several interfaces.
///
/// `PacketMarks` identifies packets. A packet is a copy if another point has had it at least as often as this one. A network may deliver a
/// packet twice, and without identification (IPv6) a sender may send the same segment twice. Neither is a copy.
///
/// The window forgets packets after a second or two, and keeps at most the last 65,536 packets.
package struct PacketCopies: ~Copyable {
  /// Whether copies are left out. If not, the window only samples packets, to tell whether most are captured twice.
  var leavesOut = false
  /// The copies that were left out.
  private(set) var found = Ledger.Copies()
  /// The number of packets sampled, and the result; none if copies are left out.
  private(set) var sightings = PacketSightings()

  private var marks: PacketMarks
  private var recent = Memory()
  private var before = Memory()
  /// The number of packets that passed.
  private var passed = 0

  /// Packets of a period, by their marks.
  private struct Memory {
    /// Time of the first packet in nanoseconds; nil without packets.
    var start: Int64?
    /// For each mark, how often it was counted, and the last time in nanoseconds.
    var counted: [UInt64: (count: UInt32, last: Int64)] = [:]
    /// How often each mark came at each point.
    var seen: [UInt64: UInt32] = [:]
  }

  /// The shortest time for which packets are remembered, in nanoseconds.
  private static var span: Int64 { 1_000_000_000 }
  /// The longest time between two captures of one packet, in nanoseconds.
  private static var moment: Int64 { 1_000_000 }
  /// Entries of one memory: two for most packets, one for a copy. Each takes 40 to 80 octets, and there are two memories.
  package static var limit: Int { 131_072 }
  /// The period of samples, if copies are not left out: its first `sampleLength` packets are sampled.
  private static var samplePeriod: Int { 1 << 14 }
  private static var sampleLength: Int { 256 }

  /// Creates a window without packets.
  init(configuration: Configuration) { marks = PacketMarks(configuration: configuration) }

  /// Counts a packet. Returns whether `isCopy` has to be asked about it.
  @inline(__always)
  mutating func isDue() -> Bool {
    passed &+= 1
    return leavesOut || passed & (Self.samplePeriod - 1) <= Self.sampleLength
  }

  /// Looks for an earlier capture of a packet, and counts a copy that is left out.
  ///
  /// - Parameters:
  ///   - packet: The packet's facts.
  ///   - octets: Its captured octets.
  ///   - capture: The number of its capture, from 0.
  /// - Returns: Whether the packet is a copy to be left out.
  @inline(never)
  mutating func isCopy(_ packet: Packet, _ octets: RawSpan, of capture: Int) -> Bool {
    // The packets between two samples are unknown.
    if !leavesOut, passed & (Self.samplePeriod - 1) == 0 { (recent, before) = (Memory(), Memory()) }
    let mark = marks.mark(of: packet, octets)
    forget(until: packet.timestamp)
    let point = Self.point(packet, octets, of: capture, mark)
    recent.seen[point, default: 0] += 1
    let seen = (recent.seen[point] ?? 0) + (before.seen[point] ?? 0)
    let counted = recent.counted[mark]
    let earlier = before.counted[mark]
    let last = counted?.last ?? earlier?.last
    let isElsewhere = seen <= (counted?.count ?? 0) + (earlier?.count ?? 0)
    if !leavesOut, marks.isOfTransport {
      sightings.packets += 1
      if let last, packet.timestamp.isWithin(Self.moment, of: last) { sightings.again += 1 }
      if isElsewhere { sightings.elsewhere += 1 }
    }
    guard isElsewhere else {
      recent.counted[mark] = ((counted?.count ?? 0) + 1, packet.timestamp)
      return false
    }
    guard leavesOut else { return false }
    found.packets += 1
    found.octets += max(0, packet.originalLength)
    return true
  }

  /// Identifies the point of capture together with the packet's mark.
  private static func point(_ packet: Packet, _ octets: RawSpan, of capture: Int, _ mark: UInt64) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(mark)
    hasher.combine(capture)
    hasher.combine(packet.origin.interface)
    // A cooked capture of version 2 names the packet's interface in its header (LINKTYPE_LINUX_SLL2).
    if packet.linkType == .linuxSLL2, octets.byteCount >= 8 { hasher.combine(octets.bigEndian32(4)) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Forgets packets that are too old.
  private mutating func forget(until now: Int64) {
    guard let start = recent.start else {
      recent.start = now
      return
    }
    guard !now.isWithin(Self.span, of: start) || recent.counted.count + recent.seen.count > Self.limit else { return }
    before = recent
    recent = Memory(start: now)
  }
}

/// The result of sampling a run for packets that were captured more than once.
public struct PacketSightings: Sendable, Equatable {
  /// TCP segments and UDP datagrams that were sampled.
  public internal(set) var packets = 0
  /// Packets that had already come within the millisecond before.
  public internal(set) var again = 0
  /// Packets that had already come from another capture or interface.
  public internal(set) var elsewhere = 0

  /// The smallest sample that counts.
  private static let least = 16

  /// Whether most packets were captured twice.
  public var areMostDoubled: Bool { packets >= Self.least && again > (packets - again) / 2 }
}

extension Int64 {
  /// Whether a time is at most `span` before or after another one; any values are allowed.
  fileprivate func isWithin(_ span: Int64, of other: Int64) -> Bool {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return !overflows && difference.magnitude <= span.magnitude
  }
}
