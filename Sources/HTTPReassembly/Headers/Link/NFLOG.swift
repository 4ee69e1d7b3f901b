// Linux netfilter log messages (LINKTYPE_NFLOG).

extension Dissection {
  /// Address family, version and resource, then attributes. One attribute is the packet.
  mutating func nflog(_ octets: RawSpan) -> Layer {
    guard isCaptured(4), octets.octet(offset + 1) == 0 else { return .malformed(.linkHeaderMalformed) }
    // Attributes are in the byte order of the capturing machine, which the message does not name.
    guard
      let payload = nflogPayload(octets, isBigEndian: false) ?? nflogPayload(octets, isBigEndian: true)
    else { return .malformed(.linkHeaderMalformed) }
    let family = octets.octet(offset)
    if payload.upperBound < end {
      synthetic += end - payload.upperBound
      trim(to: payload.upperBound)
    }
    consumeSynthetic(payload.lowerBound - offset)
    switch family {
    case 2: return .ipv4
    case 10: return .ipv6
    default: return .payload
    }
  }

  /// The range of the packet (attribute 9, `NFULA_PAYLOAD`); nil when the attributes make no sense.
  private func nflogPayload(_ octets: RawSpan, isBigEndian: Bool) -> Range<Int>? {
    var position = offset + 4
    while position + 4 <= min(end, captured) {
      let length = Int(isBigEndian ? octets.bigEndian16(position) : octets.littleEndian16(position))
      let type = isBigEndian ? octets.bigEndian16(position + 2) : octets.littleEndian16(position + 2)
      // A length includes its own header of four octets.
      guard length >= 4, position + length <= end else { return nil }
      // The two high bits of a type are netlink flags.
      if type & 0x3fff == 9 { return position + 4..<position + length }
      position += (length + 3) / 4 * 4
    }
    return nil
  }
}
