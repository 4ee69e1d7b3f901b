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
    case 119: layer = .linkType(LinkType.prism.rawValue)
    case 127: layer = .linkType(LinkType.avs.rawValue)
    default: return .payload
    }
    guard enterTunnel() else { return .payload }
    consume(headerLength)
    return layer
  }
}

/// A frame that an access point sends to its controller.
enum WirelessFrame {
  /// IEEE 802.3.
  case ethernet
  /// IEEE 802.11, as the air had it.
  case ieee80211
}

// Data messages of the control and provisioning of wireless access points (RFC 5415 §4.3).

extension Dissection {
  /// The port of CAPWAP's data (RFC 5415 §14).
  static var capwapPort: UInt16 { 5247 }

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
    guard enterTunnel() else { return .payload }
    let frame: WirelessFrame = isNative ? .ieee80211 : .ethernet
    guard fields & 0x80 != 0 else {
      consume(length)
      return self.frame(frame, octets)
    }
    // §3.4: an identifier of the sender, and an offset in units of 8 octets. One port is CAPWAP's; the other tells senders apart.
    let ports = octets.bigEndian16(udpRange.lowerBound) ^ octets.bigEndian16(udpRange.lowerBound + 2)
    fragment = Fragment(
      identification: UInt32(ports) << 16 | UInt32(octets.bigEndian16(offset + 4)),
      offset: Int(octets.bigEndian16(offset + 6) >> 3) * 8, hasMore: fields & 0x40 == 0,
      protocolNumber: IPProtocol.udp, frame: frame)
    consume(length)
    return .fragment
  }

  /// A frame that CAPWAP carries whole, or that its fragments make.
  mutating func frame(_ frame: WirelessFrame, _ octets: RawSpan) -> Layer {
    frame == .ethernet ? .ethernet : ieee80211(octets, isSwapped: hasSwappedControl(octets))
  }

  /// Whether the two octets of the frame control have changed places, as some controllers send them.
  private func hasSwappedControl(_ octets: RawSpan) -> Bool {
    isCaptured(2) && octets.octet(offset) & 0x0f != 0x08 && octets.octet(offset + 1) & 0x0f == 0x08
  }
}
