import HTTPReassembly

/// What a capture lacks, or has in another order, as captures do. The same seed mutilates in the same way.
package enum Mutilation: Sendable {
  /// Each packet is gone with this chance.
  case loss(Double)
  /// Some packets in a row are gone, this share of all in the end.
  case bursts(Double)
  /// Packets come 2 to 12 packets later with this chance.
  case reorder(Double)
  /// Packets come twice with this chance, the copy up to 3 packets later.
  case duplicate(Double)
  /// All of loss, reorder and duplicate.
  case mixed(Double)
  /// At most so many octets of each packet are captured.
  case snapLength(Int)
  /// Only the packets of one peer are captured.
  case oneDirection(Peer)
  /// This share of the packets is gone at the start.
  case midStream(Double)
  /// The packets of one peer are recorded so many nanoseconds late.
  case skew(Peer, Int64)

  /// Kinds and rates as tests try them.
  package static let usual: [Mutilation] = [
    .loss(0.001), .loss(0.01), .loss(0.05), .bursts(0.02), .bursts(0.1), .reorder(0.05), .duplicate(0.05), .mixed(0.01),
    .mixed(0.05), .snapLength(96), .snapLength(200), .snapLength(512), .oneDirection(.client), .oneDirection(.server),
    .midStream(0.05), .midStream(0.4), .skew(.client, 100_000_000), .skew(.server, 100_000_000),
  ]

  /// Whether every octet is still there.
  package var losesNothing: Bool {
    switch self {
    case .reorder, .duplicate, .skew: true
    default: false
    }
  }

  /// The segments that are captured, in the order of capture, with their times.
  package func apply(to whole: [Segment], _ random: inout SeededRandom) -> [Segment] {
    switch self {
    case .loss(let rate): return whole.filter { _ in !random.chance(rate) }
    case .bursts(let rate):
      var gone = Set<Int>()
      while gone.count < max(Int(Double(whole.count) * rate), 1) {
        let start = random.number(0..<whole.count)
        gone.formUnion(start..<min(start + random.number(3..<40), whole.count))
      }
      return whole.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    case .reorder(let rate): return Self.moved(whole, &random, later: rate, again: 0)
    case .duplicate(let rate): return Self.moved(whole, &random, later: 0, again: rate)
    case .mixed(let rate):
      return Self.moved(whole.filter { _ in !random.chance(rate) }, &random, later: rate, again: rate)
    case .snapLength(let length):
      return whole.map { segment in
        var segment = segment
        segment.uncaptured = max(segment.overhead + segment.payload.count - length, 0)
        return segment
      }
    case .oneDirection(let peer):
      let source = whole.first?.source
      return whole.filter { ($0.source == source) == (peer == .client) }
    case .midStream(let share): return Array(whole.dropFirst(Int(Double(whole.count) * share)))
    case .skew(let peer, let time):
      let source = whole.first?.source
      var late = whole
      for index in late.indices where (late[index].source == source) == (peer == .client) { late[index].time += time }
      return late.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
  }

  /// Packets that come later get the time of the packet that they then follow.
  private static func moved(
    _ whole: [Segment], _ random: inout SeededRandom, later: Double, again: Double
  ) -> [Segment] {
    var placed: [(place: Double, order: Int, segment: Segment)] = []
    for (index, segment) in whole.enumerated() {
      var place = index
      if random.chance(later) { place = min(whole.count - 1, index + random.number(2..<13)) }
      var moved = segment
      moved.time = whole[place].time
      placed.append((Double(place) + (place > index ? 0.5 : 0), placed.count, moved))
      guard random.chance(again) else { continue }
      let copy = min(whole.count - 1, place + random.number(0..<4))
      moved.time = whole[copy].time
      placed.append((Double(copy) + 0.5, placed.count, moved))
    }
    return placed.sorted { ($0.place, $0.order) < ($1.place, $1.order) }.map(\.segment)
  }
}
