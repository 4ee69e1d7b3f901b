// IEEE 802.11 data frames (§9.2.3, §9.3.2).

extension Dissection {
  /// A data frame's header. Management and control frames hold no packets, and protected ones do not show them.
  mutating func ieee80211(_ octets: RawSpan, isPadded: Bool = false) -> Layer {
    guard isCaptured(2) else { return .malformed(.linkHeaderMalformed) }
    let control = octets.octet(offset)
    let flags = octets.octet(offset + 1)
    // Version 0, type 2 (data), subtype bit 2 clear (with data).
    guard control & 0x0f == 0x08, control & 0x40 == 0 else { return .payload }
    guard flags & 0x40 == 0 else {
      notes.insert(.linkPayloadEncrypted)
      return .payload
    }
    let isQoS = control & 0x80 != 0
    // A fourth address between access points, QoS control, HT control where the +HTC bit says so.
    var length = flags & 0x03 == 0x03 ? 30 : 24
    let qosControl = length
    if isQoS { length += flags & 0x80 != 0 ? 6 : 2 }
    if isPadded { length = (length + 3) / 4 * 4 }
    guard isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    // §10.4: more fragments, or not the first.
    guard flags & 0x04 == 0, octets.littleEndian16(offset + 22) & 0x0f == 0 else {
      notes.insert(.linkFragmented)
      return .payload
    }
    let isAggregate = isQoS && octets.octet(offset + qosControl) & 0x80 != 0
    consume(length)
    return isAggregate ? aggregate(octets) : .llc
  }

  /// An A-MSDU (§9.3.2.2) of one subframe; several would be several packets in one.
  private mutating func aggregate(_ octets: RawSpan) -> Layer {
    guard isCaptured(14) else { return .malformed(.linkHeaderMalformed) }
    let length = Int(octets.bigEndian16(offset + 12))
    // Subframes are padded to 32 bits, but for the last.
    guard length <= room - 14 else { return .malformed(.linkHeaderMalformed) }
    guard room - 14 - length < 14 else {
      notes.insert(.linkFragmented)
      return .payload
    }
    trim(to: offset + 14 + length)
    consume(14)
    return .llc
  }
}
