// Per-packet information (LINKTYPE_PPI).

extension Dissection {
  /// A PPI header: version, flags, length, the type of the packet behind it, then fields.
  mutating func ppi(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .malformed(.linkHeaderMalformed) }
    let isAligned = octets.octet(offset + 1) & 1 != 0
    let length = Int(octets.littleEndian16(offset + 2))
    let type = octets.littleEndian32(offset + 4)
    guard length >= 8, isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    // The common 802.11 field (type 2) has flags at its octet 8; bit 0: the frame ends with its check sequence,
    // bit 2: that is wrong.
    var flags: UInt16 = 0
    var position = 8
    while position + 4 <= length {
      let fieldLength = Int(octets.littleEndian16(offset + position + 2))
      if octets.littleEndian16(offset + position) == 2, fieldLength >= 10, position + 14 <= length {
        flags = octets.littleEndian16(offset + position + 12)
      }
      position += 4 + fieldLength
      if isAligned { position = (position + 3) / 4 * 4 }
    }
    consumeSynthetic(length)
    if flags & 0x1 != 0, room >= 4 { trim(to: end - 4) }
    guard flags & 0x4 == 0 else {
      notes.insert(.linkChecksumBad)
      return .payload
    }
    return .linkType(type)
  }
}
