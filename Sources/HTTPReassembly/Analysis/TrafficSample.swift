import Packets

/// A sample of a capture's packets: the same ones of the same traffic in any other capture, so that two samples tell whether captures have
/// the same traffic.
///
/// It has the packets with the smallest marks, among those that only one traffic can have: TCP segments with payload and most UDP
/// datagrams.
package struct TrafficSample: ~Copyable {
  /// Marks of a sample at most: 64 KiB.
  package static var limit: Int { 8_192 }

  private var packets: PacketMarks
  private var marks = MarkSample()

  /// A sample of no packets.
  package init(configuration: Configuration) { packets = PacketMarks(configuration: configuration) }

  /// Takes the next packet of the capture.
  package mutating func take(_ packet: Packet, _ octets: RawSpan) {
    if let mark = packets.mark(of: packet, octets).unique { marks.take(mark) }
  }

  /// The marks of the packets, each once, the smallest first.
  package mutating func takeMarks() -> [UInt64] { marks.settled() }
}

/// The smallest of any number of marks.
struct MarkSample {
  private var found: [UInt64] = []
  /// No larger mark is among them.
  private var bound = UInt64.max

  mutating func take(_ mark: UInt64) {
    guard mark <= bound else { return }
    found.append(mark)
    if found.count == 2 * TrafficSample.limit { settle() }
  }

  /// All of them, each once, in ascending order.
  mutating func settled() -> [UInt64] {
    settle()
    return found
  }

  private mutating func settle() {
    found.sort()
    var last: UInt64?
    found.removeAll { mark in
      defer { last = mark }
      return mark == last
    }
    guard found.count > TrafficSample.limit else { return }
    found.removeLast(found.count - TrafficSample.limit)
    bound = found[TrafficSample.limit - 1]
  }
}

/// What captures have that were looked at before: a capture that comes later and overlaps them in time must not have the same packets.
package struct SeenTraffic: Sendable {
  /// A capture of which there is a sample.
  private struct Capture {
    var last: Int64
    /// Marks that only it has, as far as is known.
    var marks: Int
  }

  private var captures: [Int: Capture] = [:]
  /// The last capture that has each mark.
  private var owners: [UInt64: Int] = [:]
  /// No larger mark is remembered.
  private var bound = UInt64.max

  /// Packets that two captures have to share: one alone, of millions, may be a keep-alive that was sent again.
  private static var shared: Int { 2 }
  /// Marks that are remembered, of all captures together; beyond, the larger half of the range is forgotten.
  package static var limit: Int { 1 << 19 }

  /// Nothing was seen.
  package init() {}

  /// How many marks are remembered.
  var markCount: Int { owners.count }

  /// Whether any capture overlaps one that begins at `first`.
  package func reaches(_ first: Int64) -> Bool { captures.contains { overlaps($0.value.last, first) } }

  /// The capture that has some of the packets of a sample and overlaps its capture, which begins at `first`; nil where none has.
  package func capture(with sample: [UInt64], from first: Int64) -> Int? {
    var shared: [Int: Int] = [:]
    for mark in sample where mark <= bound {
      guard let owner = owners[mark], let last = captures[owner]?.last, overlaps(last, first) else { continue }
      shared[owner, default: 0] += 1
    }
    return shared.filter { $0.value >= Self.shared }.keys.min()
  }

  /// Remembers a capture, by a number of its own, and the time of its last packet. Captures come in the order of their first packets,
  /// the next ones begin at `first` or later.
  package mutating func add(_ sample: [UInt64], of capture: Int, until last: Int64, first: Int64) {
    forget(before: first)
    captures[capture] = Capture(last: last, marks: sample.count)
    for mark in sample where mark <= bound { owners[mark] = capture }
    while owners.count > Self.limit {
      bound >>= 1
      let bound = bound
      owners = owners.filter { $0.key <= bound }
    }
  }

  /// Forgets captures that no later one can overlap, where that frees as much as is kept.
  private mutating func forget(before first: Int64) {
    let gone = captures.filter { !overlaps($0.value.last, first) }
    guard gone.reduce(0, { $0 + $1.value.marks }) * 2 >= owners.count else { return }
    for number in gone.keys { captures[number] = nil }
    let captures = captures
    owners = owners.filter { captures[$0.value] != nil }
  }

  private func overlaps(_ last: Int64, _ first: Int64) -> Bool {
    first < last
  }
}
