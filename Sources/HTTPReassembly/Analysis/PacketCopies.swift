import Packets

/// Recognizes packets that were captured more than once: by captures at several points of one path, or on several interfaces.
///
/// A packet (`PacketMarks` says what tells it) is a copy where another point has had the same one already, as often as this one: a network may
/// deliver a packet twice, and where there is no identification (IPv6) a sender may send the same segment twice. Both are no copies.
///
/// The window forgets packets after a second or two, and all but the last 65,536 packets.
package struct PacketCopies: ~Copyable {
  /// Whether copies are left out. Else the window looks at some packets only, to say whether most are there twice.
  var leavesOut = false
  /// The copies that were left out.
  private(set) var found = Ledger.Copies()
  /// Packets that were looked at, and what was found among them.
  private(set) var sightings = PacketSightings()

  private var marks: PacketMarks
  private var recent = Memory()
  private var before = Memory()
  /// Packets that passed.
  private var passed = 0

  /// Packets of some time, by what tells them.
  private struct Memory {
    /// When the first one came, in nanoseconds; nil while there is none.
    var start: Int64?
    /// How many of each kind were counted, and when the last of them came, in nanoseconds.
    var counted: [UInt64: (count: UInt32, last: Int64)] = [:]
    /// How many of each kind there were at each point.
    var seen: [UInt64: UInt32] = [:]
  }

  /// For how long packets are remembered at least, in nanoseconds.
  private static var span: Int64 { 1_000_000_000 }
  /// Packets of the same kind within this time, in nanoseconds, are one that was captured twice.
  private static var moment: Int64 { 1_000_000 }
  /// Entries of one memory: two for most packets, one for a copy. Each takes some 40 octets or twice that, and there are two memories.
  package static var limit: Int { 131_072 }
  /// Of so many packets the first `sampleLength` are looked at, where copies are not left out.
  private static var samplePeriod: Int { 1 << 14 }
  private static var sampleLength: Int { 256 }

  /// Starts with no packets.
  init(configuration: Configuration) { marks = PacketMarks(configuration: configuration) }

  /// Counts a packet. Returns whether it is to be given to `isCopy`.
  @inline(__always)
  mutating func isDue() -> Bool {
    passed &+= 1
    return leavesOut || passed & (Self.samplePeriod - 1) <= Self.sampleLength
  }

  /// Whether a packet is a copy of one before, and to be left out; it is counted then.
  ///
  /// - Parameters:
  ///   - packet: The packet's facts.
  ///   - octets: Its captured octets.
  ///   - capture: The number of its capture, from 0.
  @inline(never)
  mutating func isCopy(_ packet: Packet, _ octets: RawSpan, of capture: Int) -> Bool {
    // Of what came between two samples nothing is known.
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
    if marks.isOfTransport {
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

  /// What tells the point at which a packet was captured, together with its mark.
  private static func point(_ packet: Packet, _ octets: RawSpan, of capture: Int, _ mark: UInt64) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(mark)
    hasher.combine(capture)
    hasher.combine(packet.origin.interface)
    // A cooked capture of version 2 says in its header which interface a packet passed (LINKTYPE_LINUX_SLL2).
    if packet.linkType == .linuxSLL2, octets.byteCount >= 8 { hasher.combine(octets.bigEndian32(4)) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Forgets what is too long ago.
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

/// What a look at some of a run's packets says about packets that are there more than once.
public struct PacketSightings: Sendable, Equatable {
  /// Segments of TCP and datagrams of UDP that were looked at.
  public internal(set) var packets = 0
  /// Those that were there already within the millisecond before.
  public internal(set) var again = 0
  /// Those that another capture or interface had already.
  public internal(set) var elsewhere = 0

  /// Fewer packets say nothing.
  private static let least = 16

  /// Whether most packets are there twice.
  public var areMostDoubled: Bool { packets >= Self.least && again > (packets - again) / 2 }
}

extension Int64 {
  /// Whether a time is at most so much later or earlier than another one, whatever the two are.
  fileprivate func isWithin(_ span: Int64, of other: Int64) -> Bool {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return !overflows && difference.magnitude <= span.magnitude
  }
}
