// Changes that know nothing of what is in a packet.

extension Mutation {
  static func truncate(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    for index in packets.indices where random.chance(0.2) {
      packets[index].octets.removeLast(random.number(0..<packets[index].octets.count + 1))
    }
  }

  static func corrupt(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    for index in packets.indices where random.chance(0.2) && !packets[index].octets.isEmpty {
      for _ in 0..<random.number(1..<4) {
        // Headers are hit as often as payload is.
        let limit = random.chance(0.5) ? min(packets[index].octets.count, 80) : packets[index].octets.count
        packets[index].octets[random.number(0..<limit)] = UInt8.random(in: .min ... .max, using: &random)
      }
    }
  }

  static func retime(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    for index in packets.indices where random.chance(0.1) {
      packets[index].timestamp =
        random.chance(0.1)
        ? Int64.random(in: .min ... .max, using: &random)
        : packets[index].timestamp &+ Int64.random(in: -2_000_000_000...100_000_000_000, using: &random)
    }
  }

  /// Some packets come later than they did, by up to a second, as over a path that holds them up.
  static func delay(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    for index in packets.indices where random.chance(0.05) {
      packets[index].timestamp &+= Int64.random(in: 0...1_000_000_000, using: &random)
    }
    packets.sort { $0.timestamp < $1.timestamp }
  }

  /// Nanoseconds between two packets that may change places: half of what a hole that was acknowledged is held open for,
  /// for both may be at its ends.
  private static let window: Int64 = 500_000_000

  /// Some packets change places with the next one; the times stay where they are.
  static func swapNeighbours(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    var index = 0
    while index + 1 < packets.count {
      let distance = packets[index + 1].timestamp &- packets[index].timestamp
      if random.chance(0.1), (-window...window).contains(distance) {
        packets.swapAt(index, index + 1)
        let time = packets[index].timestamp
        packets[index].timestamp = packets[index + 1].timestamp
        packets[index + 1].timestamp = time
        index += 1
      }
      index += 1
    }
  }
}
