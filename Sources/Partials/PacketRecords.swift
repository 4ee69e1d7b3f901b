import Capture
import HTTPReassembly
import Packets

/// Writes the records of packets.
struct PacketRecords {
  /// Capture time of the previous packet.
  private var latest: Int64 = 0

  /// Writes a packet whose figures are in the next records.
  mutating func count(_ packet: Packet, to rows: inout RowWriting) {
    rows.octets.append(PartRecord.countedPacket.rawValue)
    writeTime(of: packet, to: &rows)
  }

  /// Writes a packet as it was captured.
  mutating func keep(_ packet: Packet, _ octets: RawSpan, to rows: inout RowWriting) {
    rows.octets.append(PartRecord.keptPacket.rawValue)
    writeTime(of: packet, to: &rows)
    rows.signed(Int64(packet.originalLength))
    rows.number(UInt64(packet.linkType.rawValue))
    rows.signed(Int64(packet.frameCheckSequenceLength))
    let origin = packet.origin
    for number in [origin.interface, origin.process, origin.effectiveProcess, origin.comment, origin.flags.rawValue] {
      rows.number(UInt64(number))
    }
    rows.counted(octets)
  }

  private mutating func writeTime(of packet: Packet, to rows: inout RowWriting) {
    rows.signed(packet.timestamp &- latest)
    latest = packet.timestamp
  }
}

/// Reads the records of packets.
struct PacketReading {
  private var latest: Int64 = 0

  /// Reads the capture time of a packet.
  mutating func time(_ rows: inout RowReading) throws(PartFault) -> Int64 {
    latest = latest &+ (try rows.signed())
    rows.base = latest
    return latest
  }

  /// Reads a packet without its octets, whose number and values follow.
  mutating func packet(_ rows: inout RowReading, _ origins: borrowing PartialOrigins) throws(PartFault) -> Packet {
    let timestamp = try time(&rows)
    guard let length = UInt32(exactly: try rows.signed()), let linkType = UInt32(exactly: try rows.number()),
      let checkLength = UInt8(exactly: try rows.signed())
    else { throw .damaged }
    var packet = Packet(
      timestamp: timestamp, originalLength: Int(length), linkType: LinkType(rawValue: linkType),
      frameCheckSequenceLength: Int(checkLength))
    var numbers: InlineArray<5, UInt16> = .init(repeating: 0)
    for index in numbers.indices {
      guard let number = UInt16(exactly: try rows.number()) else { throw .damaged }
      numbers[index] = number
    }
    packet.origin.interface = numbers[0]
    packet.origin.process = origins.process(numbers[1])
    packet.origin.effectiveProcess = origins.process(numbers[2])
    packet.origin.comment = origins.comment(numbers[3])
    packet.origin.flags = PacketOrigin.Flags(rawValue: numbers[4])
    return packet
  }
}
