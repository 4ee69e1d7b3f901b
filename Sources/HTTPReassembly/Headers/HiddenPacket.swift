// IP packets in octets that are not decoded: a tunnel or link layer that is not known.

extension Dissection {
  /// Octets at a payload's start in which an IP header is looked for: as long as known headers are.
  private static var searchedLength: Int { 64 }

  /// Whether an IP packet lies where decoding ended, or behind another header there.
  ///
  /// Its checksum is right, or its EtherType stands before it, and its length fits.
  borrowing func holdsHiddenPacket(_ octets: RawSpan) -> Bool {
    guard notes.isEmpty, mayHoldHiddenPacket else { return false }
    let start = carrier == .udp ? udpRange.lowerBound + UDPDatagram.headerLength : offset
    let last = min(end, captured) - 20
    guard start <= last else { return false }
    var position = start
    let positionLimit = min(last, start + Self.searchedLength)
    while position <= positionLimit {
      // Eight octets at once: few of them are one of these two.
      if position + 8 <= captured {
        let word = octets.bigEndian64(position)
        if !Self.hasOctet(0x45, in: word), !Self.hasOctet(0xdd, in: word) {
          position += 8
          continue
        }
      }
      for candidate in position...min(position + 7, positionLimit) where isHiddenPacket(octets, at: candidate) {
        return true
      }
      position += 8
    }
    return false
  }

  /// Errors quote packets, and what is encrypted holds none that could be seen. The well-known ports of QUIC and DNS are
  /// spared the search.
  private var mayHoldHiddenPacket: Bool {
    switch name {
    case .ipProtocol(IPProtocol.icmp), .ipProtocol(IPProtocol.icmpv6): false
    case .udpPort(443), .udpPort(53): false
    default: carrier != .udp || !udpRange.isEmpty
    }
  }

  @inline(__always)
  private static func hasOctet(_ octet: UInt8, in word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let difference = word ^ (ones &* UInt64(octet))
    return (difference &- ones) & ~difference & (ones << 7) != 0
  }

  private func isHiddenPacket(_ octets: RawSpan, at position: Int) -> Bool {
    let room = end - position
    switch octets.octet(position) {
    case 0x45:
      let length = Int(octets.bigEndian16(position + 2))
      guard length >= 28, length <= room else { return false }
      var checksum = InternetChecksum()
      checksum.add(octets, position..<position + 20)
      return checksum.isCorrect
    case 0xdd:
      let start = position + 1
      guard position > 0, octets.octet(position - 1) == 0x86, start + 40 <= min(end, captured) else { return false }
      return octets.octet(start) >> 4 == 6 && Int(octets.bigEndian16(start + 4)) <= room - 41
    default: return false
    }
  }
}

extension Dissection.HeaderName {
  /// The number in words, as in `UDP port 4341`.
  var text: String {
    switch self {
    case .linkType(let number): "link type \(number)"
    case .etherType(let number): "EtherType 0x" + Self.hexadecimal(number)
    case .ipProtocol(let number): "IP protocol \(number)"
    case .udpPort(let number): "UDP port \(number)"
    }
  }

  private static func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
