/// A way to change a capture, chosen by a seeded generator.
package enum Mutation: String, CaseIterable, Sendable {
  // What loses octets, changes them, or says something new about them.
  case drop
  case truncate
  case corrupt
  case retime
  case delay
  case shuffle
  case conflictFirst

  // What a network or a capturing machine does without losing anything.
  case duplicate
  case reorder
  case split
  case overlap
  case conflictLast
  case fragment

  /// Whether every octet of every stream is still there, in time and in its first version: messages must be the same.
  package var losesNothing: Bool {
    switch self {
    case .drop, .truncate, .corrupt, .retime, .delay, .shuffle, .conflictFirst: false
    case .duplicate, .reorder, .split, .overlap, .conflictLast, .fragment: true
    }
  }

  /// Those that lose nothing.
  package static var lossless: [Mutation] { allCases.filter(\.losesNothing) }

  /// Changes a capture.
  package func apply(to packets: inout [TestPacket], _ random: inout SeededRandom) {
    switch self {
    case .drop: packets.removeAll { _ in random.chance(0.1) }
    case .truncate: Self.truncate(&packets, &random)
    case .corrupt: Self.corrupt(&packets, &random)
    case .retime: Self.retime(&packets, &random)
    case .delay: Self.delay(&packets, &random)
    case .shuffle:
      for index in packets.indices where random.chance(0.2) {
        packets.swapAt(index, min(index + random.number(0..<20), packets.count - 1))
      }
    case .duplicate: packets = packets.flatMap { random.chance(0.1) ? [$0, $0] : [$0] }
    case .reorder: Self.swapNeighbours(&packets, &random)
    case .split: Self.split(&packets, &random)
    case .overlap: Self.overlap(&packets, &random)
    case .conflictFirst: Self.conflict(&packets, &random, isFirst: true)
    case .conflictLast: Self.conflict(&packets, &random, isFirst: false)
    case .fragment: Self.fragment(&packets, &random)
    }
  }
}
