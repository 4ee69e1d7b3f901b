/// A frame like an `OrdinaryFrame` with a datagram of UDP in the place of a segment. No tunnel is in it.
///
/// `Dissection` decodes such a frame to the same datagram, and then looks for a packet in its payload. Any other frame is nil here.
/// `OrdinaryFrameTests` compares the two.
struct OrdinaryDatagram {
  private static let payloadOffset = OrdinaryFrame.transportOffset + UDPDatagram.headerLength

  let datagram: UDPDatagram

  /// Returns nil for every other frame. `wireLength` is the frame's length on the wire; `octets` may have more.
  @inline(__always)
  init?(_ octets: RawSpan, wireLength: Int, captured: Int) {
    guard captured >= Self.payloadOffset, captured <= octets.byteCount,
      OrdinaryFrame.isCarried(octets, wireLength: wireLength, IPProtocol.udp),
      Int(octets.bigEndian16(within: 38)) == wireLength - OrdinaryFrame.transportOffset
    else { return nil }
    let source = Endpoint(
      address: IPAddress(v4: octets.bigEndian32(within: 26)), port: octets.bigEndian16(within: 34))
    let destination = Endpoint(
      address: IPAddress(v4: octets.bigEndian32(within: 30)), port: octets.bigEndian16(within: 36))
    // Teredo has any ports, and begins with an IPv6 header.
    guard case .payload = Dissection.layer(fromPort: source.port, to: destination.port),
      captured < Self.payloadOffset + 40 || octets.octet(within: Self.payloadOffset) >> 4 != 6
        || Int(octets.bigEndian16(within: 46)) != wireLength - Self.payloadOffset - 40
    else { return nil }
    datagram = UDPDatagram(
      source: source, destination: destination, payloadOffset: Self.payloadOffset,
      payloadLength: wireLength - Self.payloadOffset, capturedPayloadLength: captured - Self.payloadOffset,
      networkLength: OrdinaryFrame.networkLength)
  }
}
