// The GPRS tunnelling protocol's user plane (3GPP TS 29.281 §5).

extension Dissection {
  /// A GTPv1-U header of a message that carries a packet (G-PDU), when it looks like one.
  mutating func gtpu(_ octets: RawSpan) -> Layer {
    // Version 1, protocol type GTP; message type 255.
    guard isCaptured(8), octets.octet(offset) & 0xf0 == 0x30, octets.octet(offset + 1) == 0xff else { return .payload }
    let flags = octets.octet(offset)
    // Counted from behind the mandatory 8 octets.
    let messageEnd = offset + 8 + Int(octets.bigEndian16(offset + 2))
    var length = 8
    if flags & 0x7 != 0 {
      guard isCaptured(12) else { return .payload }
      length = 12
      var next = flags & 0x4 != 0 ? octets.octet(offset + 11) : 0
      // §5.2.1: an extension header counts its length in 4-octet units and ends with the type of the next.
      while next != 0 {
        guard isCaptured(length + 1) else { return .payload }
        let extensionLength = Int(octets.octet(offset + length)) * 4
        guard extensionLength > 0, isCaptured(length + extensionLength) else { return .payload }
        length += extensionLength
        next = octets.octet(offset + length - 1)
      }
    }
    guard messageEnd <= end, offset + length <= messageEnd, enterTunnel() else { return .payload }
    if messageEnd < end { trim(to: messageEnd) }
    consume(length)
    return .ip
  }
}
