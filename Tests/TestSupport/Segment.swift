import HTTPReassembly

extension TCPFlags {
  /// PSH.
  package static let push = TCPFlags(rawValue: 0x08)
}

/// A TCP segment to be made into a packet.
package struct Segment: Sendable {
  package var source: Endpoint
  package var destination: Endpoint
  package var sequence: UInt32
  package var acknowledgment: UInt32
  package var flags: TCPFlags
  package var window: UInt16 = 0xffff
  /// A multiple of four octets.
  package var options: [UInt8] = []
  package var payload: [UInt8] = []
  /// Nanoseconds since the Unix epoch.
  package var time: Int64 = 0
  /// Octets at the end of the packet that the snap length cut off.
  package var uncaptured = 0
  /// Whether the TCP checksum is to be wrong.
  package var hasWrongChecksum = false

  package init(
    from source: Endpoint, to destination: Endpoint, sequence: UInt32, acknowledgment: UInt32 = 0, flags: TCPFlags,
    payload: [UInt8] = [], time: Int64 = 0
  ) {
    self.source = source
    self.destination = destination
    self.sequence = sequence
    self.acknowledgment = acknowledgment
    self.flags = flags
    self.payload = payload
    self.time = time
  }

  /// Network and transport octets.
  package var overhead: Int { (source.address.isIPv4 ? 20 : 40) + 20 + options.count }

  /// Sequence number after the payload, SYN and FIN left out.
  package var end: UInt32 { sequence &+ UInt32(payload.count) }

  /// The part of the payload in `range` as a segment of its own, otherwise the same.
  package func part(_ range: Range<Int>) -> Segment {
    var part = self
    part.sequence = sequence &+ UInt32(range.lowerBound)
    part.payload = Array(payload[range])
    return part
  }

  /// The packet, raw IP or in an Ethernet frame.
  package func packet(_ linkType: LinkType = .raw) -> TestPacket {
    var octets: [UInt8] = []
    if linkType == .ethernet {
      octets += [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]
      octets += source.address.isIPv4 ? [0x08, 0x00] : [0x86, 0xdd]
    }
    let transport = transportOctets()
    octets += networkOctets(payloadLength: transport.count)
    octets += transport
    let length = octets.count
    octets.removeLast(min(uncaptured, length))
    return TestPacket(timestamp: time, octets: octets, originalLength: length, linkType: linkType)
  }

  private func networkOctets(payloadLength: Int) -> [UInt8] {
    guard source.address.isIPv4 else {
      var header: [UInt8] = [0x60, 0, 0, 0]
      header.append(bigEndian: UInt16(payloadLength))
      header += [6, 64]
      header.append(source.address)
      header.append(destination.address)
      return header
    }
    var header: [UInt8] = [0x45, 0]
    header.append(bigEndian: UInt16(20 + payloadLength))
    header += [0, 1, 0x40, 0, 64, 6, 0, 0]
    header.append(source.address)
    header.append(destination.address)
    header.replaceSubrange(10..<12, with: header.internetChecksum())
    return header
  }

  private func transportOctets() -> [UInt8] {
    var octets: [UInt8] = []
    octets.append(bigEndian: source.port)
    octets.append(bigEndian: destination.port)
    octets.append(bigEndian: sequence)
    octets.append(bigEndian: acknowledgment)
    octets += [UInt8(5 + options.count / 4) << 4, flags.rawValue]
    octets.append(bigEndian: window)
    octets += [0, 0, 0, 0]
    octets += options
    octets += payload
    var pseudoHeader: [UInt8] = []
    pseudoHeader.append(source.address)
    pseudoHeader.append(destination.address)
    pseudoHeader.append(bigEndian: UInt32(octets.count))
    pseudoHeader += [0, 0, 0, 6]
    let checksum = (pseudoHeader + octets).internetChecksum()
    octets.replaceSubrange(16..<18, with: checksum)
    if hasWrongChecksum { octets[16] ^= 0x55 }
    return octets
  }
}

extension [UInt8] {
  fileprivate mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
    for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> Value(shift)))
    }
  }

  fileprivate mutating func append(_ address: IPAddress) {
    guard !address.isIPv4 else { return append(bigEndian: UInt32(truncatingIfNeeded: address.low)) }
    append(bigEndian: address.high)
    append(bigEndian: address.low)
  }

  fileprivate func internetChecksum() -> [UInt8] {
    var sum = 0
    for (index, octet) in enumerated() { sum += Int(octet) << (index.isMultiple(of: 2) ? 8 : 0) }
    while sum >> 16 != 0 { sum = sum >> 16 + sum & 0xffff }
    return [UInt8(~sum >> 8 & 0xff), UInt8(~sum & 0xff)]
  }
}
