// IEEE 802.11 data frames (§9.2.3, §9.3.2).

extension Dissection {
  /// A data frame's header. Management and control frames hold no packets; protected frames hide them.
  mutating func ieee80211(_ octets: RawSpan, isPadded: Bool = false, isSwapped: Bool = false) -> Layer {
    guard isCaptured(2) else { return .malformed(.linkHeaderMalformed) }
    let control = octets.octet(isSwapped ? offset + 1 : offset)
    let flags = octets.octet(isSwapped ? offset : offset + 1)
    // Version 0, type 2 (data), subtype bit 2 clear (with data).
    guard control & 0x0f == 0x08, control & 0x40 == 0 else { return .payload }
    guard flags & 0x40 == 0 else {
      notes.insert(.linkPayloadEncrypted)
      return .payload
    }
    let isQoS = control & 0x80 != 0
    // Optional: a fourth address between access points, QoS control, and HT control if the +HTC bit is set.
    var length = flags & 0x03 == 0x03 ? 30 : 24
    let qosControl = length
    if isQoS { length += flags & 0x80 != 0 ? 6 : 2 }
    if isPadded { length = (length + 3) / 4 * 4 }
    guard isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    // §10.4: a fragment, because more follow or it is not the first.
    guard flags & 0x04 == 0, octets.littleEndian16(offset + 22) & 0x0f == 0 else {
      notes.insert(.linkFragmented)
      return .payload
    }
    let isAggregate = isQoS && octets.octet(offset + qosControl) & 0x80 != 0
    consume(length)
    return isAggregate ? aggregate(octets) : .llc
  }

  /// The first subframe of an A-MSDU (§9.3.2.2). Further ones are packets of their own: they become `laterFrames`.
  mutating func aggregate(_ octets: RawSpan) -> Layer {
    guard isCaptured(14) else { return .malformed(.linkHeaderMalformed) }
    let length = Int(octets.bigEndian16(offset + 12))
    guard length <= room - 14 else { return .malformed(.linkHeaderMalformed) }
    // Subframes are padded to 32 bits, except the last.
    let padded = (14 + length + 3) / 4 * 4
    if room - padded >= 14 {
      guard mayLeaveFrames, laterFrames == nil else {
        notes.insert(.linkFragmented)
        return .payload
      }
      leaveFrames(from: offset + padded)
    }
    trim(to: offset + 14 + length)
    consume(14)
    return .llc
  }
}

// Radiotap (radiotap.org): facts that a monitoring radio adds to an IEEE 802.11 frame.

extension Dissection {
  /// A radiotap header. Only its flags matter.
  mutating func radiotap(_ octets: RawSpan) -> Layer {
    guard isCaptured(8), octets.octet(offset) == 0 else { return .malformed(.linkHeaderMalformed) }
    let length = Int(octets.littleEndian16(offset + 2))
    guard length >= 8, isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    let flags = radiotapFlags(octets, length: length)
    consumeSynthetic(length)
    // 0x10: the frame ends with its check sequence. 0x20: the header is padded to 32 bits. 0x40: the check sequence is wrong.
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
    // Bit 31 of a presence word announces another one.
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

// Headers of Prism drivers and of AVS (LINKTYPE_IEEE802_11_PRISM, LINKTYPE_IEEE802_11_AVS).

extension Dissection {
  /// A Prism header, or an AVS header in its place, as some drivers write it.
  mutating func prism(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .malformed(.linkHeaderMalformed) }
    if octets.bigEndian32(offset) >> 12 == 0x80211 { return avs(octets) }
    // The code of the message tells the byte order of the machine that wrote it; the length follows.
    let length: UInt32
    switch octets.littleEndian32(offset) {
    case 0x41, 0x44: length = octets.littleEndian32(offset + 4)
    case 0x4100_0000, 0x4400_0000: length = octets.bigEndian32(offset + 4)
    default: return .malformed(.linkHeaderMalformed)
    }
    return radioHeader(Int(length), octets)
  }

  /// An AVS header: a number with its version, then its length, in network byte order.
  mutating func avs(_ octets: RawSpan) -> Layer {
    guard isCaptured(8), octets.bigEndian32(offset) >> 12 == 0x80211 else { return .malformed(.linkHeaderMalformed) }
    return radioHeader(Int(octets.bigEndian32(offset + 4)), octets)
  }

  private mutating func radioHeader(_ length: Int, _ octets: RawSpan) -> Layer {
    guard length >= 8, isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    consumeSynthetic(length)
    return .ieee80211
  }
}

// Per-packet information (LINKTYPE_PPI).

extension Dissection {
  /// A PPI header: version, flags, length, the type of the packet behind it, then fields.
  mutating func ppi(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .malformed(.linkHeaderMalformed) }
    let isAligned = octets.octet(offset + 1) & 1 != 0
    let length = Int(octets.littleEndian16(offset + 2))
    let type = octets.littleEndian32(offset + 4)
    guard length >= 8, isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    // The common 802.11 field (type 2) has flags at its octet 8. Bit 0: the frame ends with its check sequence. Bit 2: the check
    // sequence is wrong.
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
