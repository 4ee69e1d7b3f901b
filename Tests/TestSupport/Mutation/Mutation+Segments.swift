// Changes to TCP segments and to the datagrams that carry them. Packets that are not wholly captured, and those in which
// no plain IP header is found, stay as they are.

extension Mutation {
  /// Cuts segments into two to four.
  static func split(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    packets = packets.flatMap { packet -> [TestPacket] in
      guard random.chance(0.2), let segment = SegmentInPacket(packet), segment.payloadLength > 1 else {
        return [packet]
      }
      let places = (0..<random.number(1..<4)).map { _ in random.number(1..<segment.payloadLength) }
      let cuts = Set(places).union([0, segment.payloadLength]).sorted()
      return zip(cuts, cuts.dropFirst()).map { segment.part($0..<$1) }
    }
  }

  /// After some segments comes another with the end of theirs and the start of the next one's.
  static func overlap(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    packets = packets.flatMap { packet -> [TestPacket] in
      guard random.chance(0.2), let segment = SegmentInPacket(packet), segment.payloadLength > 1 else {
        return [packet]
      }
      let from = random.number(0..<segment.payloadLength - 1)
      let to = random.number(from + 1..<segment.payloadLength + 1)
      // In this order the first part of it is a copy, and the rest new.
      return [segment.part(0..<to), segment.part(from..<segment.payloadLength)]
    }
  }

  /// Beside some segments comes a copy whose payload differs, before or after them.
  static func conflict(_ packets: inout [TestPacket], _ random: inout SeededRandom, isFirst: Bool) {
    packets = packets.flatMap { packet -> [TestPacket] in
      guard random.chance(0.1), let segment = SegmentInPacket(packet), segment.payloadLength > 1 else {
        return [packet]
      }
      let place = random.number(0..<segment.payloadLength)
      let forged = segment.part(0..<segment.payloadLength, changing: place)
      return isFirst ? [forged, packet] : [packet, forged]
    }
  }

  /// Cuts datagrams into fragments (RFC 791 §3.2, RFC 8200 §4.5), in any order.
  static func fragment(_ packets: inout [TestPacket], _ random: inout SeededRandom) {
    var identification: UInt32 = 0x7000_0000
    packets = packets.flatMap { packet -> [TestPacket] in
      guard random.chance(0.2), let segment = SegmentInPacket(packet) else { return [packet] }
      let length = segment.datagramLength
      let places = (0..<random.number(1..<4)).map { _ in random.number(1..<max(length / 8, 2)) * 8 }
      let cuts = Set(places.filter { $0 < length }).union([0, length]).sorted()
      guard cuts.count > 2 else { return [packet] }
      identification += 1
      var pieces = zip(cuts, cuts.dropFirst()).map { segment.fragment($0..<$1, identification) }
      pieces.shuffle(using: &random)
      return pieces
    }
  }
}
