import Packets

/// Recognizes packets that were captured more than once: by captures at several points of one path, or on several interfaces.
///
/// A packet (`PacketMarks` says what tells it) is a copy where another point has had the same one already, as often as this one: a network may
/// deliver a packet twice, and where there is no identification (IPv6) a sender may send the same segment twice. Both are no copies.
///
/// What came longer ago than a second or two is forgotten, and so is what came before the last 65,536 packets.
package struct PacketCopies: ~Copyable {
  /// What was found to be a copy so far.
  package private(set) var found = Ledger.Copies()

  private var marks: PacketMarks
  private var recent = Memory()
  private var before = Memory()

  /// Packets of some time, by what tells them.
  private struct Memory {
    /// When the first one came, in nanoseconds; nil while there is none.
    var start: Int64?
    /// How many of each kind were counted.
    var counted: [UInt64: UInt32] = [:]
    /// How many of each kind there were at each point.
    var seen: [UInt64: UInt32] = [:]
  }

  /// For how long packets are remembered at least, in nanoseconds.
  private static var span: Int64 { 1_000_000_000 }
  /// Entries of one memory: two for most packets, one for a copy. Each takes some 30 octets or twice that, and there are two memories.
  package static var limit: Int { 131_072 }

  /// Starts with no packets.
  package init(configuration: Configuration) { marks = PacketMarks(configuration: configuration) }

  /// Whether a packet is a copy of one before; it is counted then.
  ///
  /// - Parameters:
  ///   - packet: The packet's facts.
  ///   - octets: Its captured octets.
  ///   - capture: The number of its capture, from 0.
  /// - Returns: Whether it is to be left out.
  package mutating func isCopy(_ packet: Packet, _ octets: RawSpan, of capture: Int) -> Bool {
    let mark = marks.mark(of: packet, octets).value
    forget(until: packet.timestamp)
    var hasher = Hasher()
    hasher.combine(mark)
    hasher.combine(capture)
    hasher.combine(packet.origin.interface)
    let point = UInt64(bitPattern: Int64(hasher.finalize()))
    recent.seen[point, default: 0] += 1
    let seen = (recent.seen[point] ?? 0) + (before.seen[point] ?? 0)
    if seen > (recent.counted[mark] ?? 0) + (before.counted[mark] ?? 0) {
      recent.counted[mark, default: 0] += 1
      return false
    }
    found.packets += 1
    found.octets += max(0, packet.originalLength)
    return true
  }

  /// Forgets what is too long ago.
  private mutating func forget(until now: Int64) {
    guard let start = recent.start else {
      recent.start = now
      return
    }
    let (age, overflows) = now.subtractingReportingOverflow(start)
    guard overflows || age > Self.span || recent.counted.count + recent.seen.count > Self.limit else { return }
    before = recent
    recent = Memory(start: now)
  }
}
