// The Internet Protocol, version 4 (RFC 791 §3.1).

extension Dissection {
  /// An IPv4 header with options.
  @inline(__always)
  mutating func ipv4(_ octets: RawSpan) -> Layer {
    guard room >= 20 else { return .malformed(.ipHeaderMalformed) }
    guard isCaptured(20) else { return .malformed(.ipHeaderNotCaptured) }
    let start = offset
    let versionAndLength = octets.octet(start)
    let headerLength = Int(versionAndLength & 0x0f) * 4
    guard versionAndLength >> 4 == 4, headerLength >= 20, headerLength <= room else {
      return .malformed(.ipHeaderMalformed)
    }
    var totalLength = Int(octets.bigEndian16(start + 2))
    if totalLength > room, isSuperSegment(endingAt: start + totalLength) { takeFrameRest() }
    if totalLength < headerLength || totalLength > room {
      // A UDP port only suggests a tunnel. This is no IP header.
      guard carrier != .udp else { return .malformed(.ipHeaderMalformed) }
      if totalLength == 0 {
        // The network card had yet to segment this packet, so it has no length of its own.
        notes.insert(.ipTotalLengthZero)
      } else if totalLength > room {
        notes.insert(.ipLengthBeyondFrame)
      } else {
        return .malformed(.ipHeaderMalformed)
      }
      totalLength = room
    }
    if totalLength < room {
      if trimsToLink { noteFrameRest(from: start + totalLength) }
      let isLinkPadding = trimsToLink
      trim(to: start + totalLength)
      if isLinkPadding { markPCAPdroid(octets, packetEnd: start + totalLength) }
    }
    if limits.verifiesChecksums, isCaptured(headerLength) {
      var checksum = InternetChecksum()
      checksum.add(octets, start..<start + headerLength)
      if !checksum.isCorrect {
        notes.insert(.ipv4ChecksumBad)
        hasBadChecksum = true
      }
    }
    source = IPAddress(v4: octets.bigEndian32(start + 12))
    destination = IPAddress(v4: octets.bigEndian32(start + 16))
    isIPv6 = false
    enterIP(headerLength: headerLength)

    let number = octets.octet(start + 9)
    let fragmentation = octets.bigEndian16(start + 6)
    // The "more fragments" bit and the offset in units of 8 octets.
    guard fragmentation & 0x3fff == 0 else {
      fragment = Fragment(
        identification: UInt32(octets.bigEndian16(start + 4)), offset: Int(fragmentation & 0x1fff) * 8,
        hasMore: fragmentation & 0x2000 != 0, protocolNumber: number)
      return .fragment
    }
    return .ipProtocol(number)
  }
}

/// The position of a fragment, as its header gives it: the IP header, or the header of a tunnel with fragments of its own (CAPWAP).
///
/// Offsets and lengths count octets of the datagram's payload (the fragmentable part, RFC 8200 §4.5).
struct Fragment: Equatable {
  /// The identification field: 16 bits of IPv4, 32 bits of IPv6.
  var identification: UInt32 = 0
  /// The fragment's offset in the datagram.
  var offset = 0
  /// Whether more fragments follow it.
  var hasMore = false
  /// The protocol of the datagram's payload.
  var protocolNumber: UInt8 = 0
  /// The frame that fragments of CAPWAP make; nil for fragments of IP.
  var frame: WirelessFrame?

  /// Whether the fragment is a whole datagram.
  var isAtomic: Bool { offset == 0 && !hasMore }

  /// The class of the fragment's octets if they never become part of a datagram.
  var octetClass: OctetClass { protocolNumber == IPProtocol.udp ? .udp : .otherIP }
}

/// A datagram that has all its fragments.
struct ReassembledDatagram {
  var source: IPAddress
  var destination: IPAddress
  var isIPv6: Bool
  /// The protocol of the fragment at offset 0.
  var protocolNumber: UInt8
  /// The frame that the datagram is; nil for the payload of an IP packet.
  var frame: WirelessFrame?
  /// Octets of the payload on the wire.
  var length: Int
  /// The payload's captured octets up to the first gap: at most `length` octets.
  var octets: [UInt8]
  /// Octets of the fragments' IP headers.
  var networkLength: Int
  /// Octets of other headers before the fragments.
  var tunnelLength: Int
}
