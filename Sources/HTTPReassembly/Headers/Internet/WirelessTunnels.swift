// The TaZmen sniffer protocol, in which routers and access points stream what they capture.

extension Dissection {
  /// A TZSP header with tagged fields, if it looks like one, then a frame of the kind that it names.
  mutating func tzsp(_ octets: RawSpan) -> Layer {
    // Version 1. Type 0 is a packet received, 1 one to be sent.
    guard isCaptured(4), octets.octet(offset) == 1, octets.octet(offset + 1) <= 1 else { return .payload }
    let kind = octets.bigEndian16(offset + 2)
    var length = 4
    while isCaptured(length + 1) {
      let tag = octets.octet(offset + length)
      length += 1
      if tag == 1 { return tzspFrame(kind, headerLength: length) }
      // Tag 0 pads. Every other one has a length.
      if tag == 0 { continue }
      guard isCaptured(length + 1) else { return .payload }
      length += 1 + Int(octets.octet(offset + length))
    }
    return .payload
  }

  private mutating func tzspFrame(_ kind: UInt16, headerLength: Int) -> Layer {
    let layer: Layer
    switch kind {
    case 1: layer = .ethernet
    case 4: layer = .ppp
    case 7: layer = .ip
    case 18: layer = .ieee80211
    default: return .payload
    }
    guard enterTunnel() else { return .payload }
    consume(headerLength)
    return layer
  }
}

// Data messages of the control and provisioning of wireless access points (RFC 5415 §4.3).

extension Dissection {
  /// A CAPWAP header, if it looks like one, then a frame: IEEE 802.3, or IEEE 802.11 as the air had it.
  mutating func capwap(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .payload }
    let fields = octets.bigEndian32(offset)
    // §4.1: version 0 in both kinds; type 1 is a DTLS header, with a record behind it.
    if fields == 0x0100_0000, octets.octet(offset + 4) == 23 { notes.insert(.linkPayloadEncrypted) }
    guard fields >> 24 == 0 else { return .payload }
    // Length in units of 4 octets, binding, then flags: T, F, L, W, M, K.
    let length = Int(fields >> 19 & 0x1f) * 4
    let isNative = fields & 0x100 != 0
    let binding = fields >> 9 & 0x1f
    guard length >= 8, isCaptured(length), fields & 0x08 == 0, !isNative || binding == 1 else { return .payload }
    guard fields & 0x80 == 0 else {
      notes.insert(.linkFragmented)
      return .payload
    }
    guard enterTunnel() else { return .payload }
    consume(length)
    guard isNative else { return .ethernet }
    return ieee80211(octets, isSwapped: hasSwappedControl(octets))
  }

  /// Whether the two octets of the frame control have changed places, as some controllers send them.
  private func hasSwappedControl(_ octets: RawSpan) -> Bool {
    isCaptured(2) && octets.octet(offset) & 0x0f != 0x08 && octets.octet(offset + 1) & 0x0f == 0x08
  }
}
