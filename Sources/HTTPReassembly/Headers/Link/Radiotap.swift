// Radiotap (radiotap.org): what a monitoring radio knew of an IEEE 802.11 frame.

extension Dissection {
  /// A radiotap header; of its fields only the flags matter.
  mutating func radiotap(_ octets: RawSpan) -> Layer {
    guard isCaptured(8), octets.octet(offset) == 0 else { return .malformed(.linkHeaderMalformed) }
    let length = Int(octets.littleEndian16(offset + 2))
    guard length >= 8, isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    let flags = radiotapFlags(octets, length: length)
    consumeSynthetic(length)
    // 0x10: the frame ends with its check sequence; 0x40: that is wrong; 0x20: the header is padded to 32 bits.
    if flags & 0x10 != 0, room >= 4 { trim(to: end - 4) }
    guard flags & 0x40 == 0 else {
      notes.insert(.linkChecksumBad)
      return .payload
    }
    return ieee80211(octets, isPadded: flags & 0x20 != 0)
  }

  /// The flags field, 0 when there is none.
  private func radiotapFlags(_ octets: RawSpan, length: Int) -> UInt8 {
    let present = octets.littleEndian32(offset + 4)
    guard present & 0b10 != 0 else { return 0 }
    // Bit 31 of each presence word says that another one follows.
    var position = 8
    var word = present
    while word >> 31 != 0 {
      guard position + 4 <= length else { return 0 }
      word = octets.littleEndian32(offset + position)
      position += 4
    }
    // Bit 0, the timestamp, is the only field before the flags: 8 octets, naturally aligned.
    if present & 1 != 0 { position = (position + 7) / 8 * 8 + 8 }
    guard position < length else { return 0 }
    return octets.octet(offset + position)
  }
}
