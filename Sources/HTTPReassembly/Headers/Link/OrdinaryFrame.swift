/// The most common frame: Ethernet II, IPv4 without options that is no fragment, and TCP, with nothing between or behind them.
///
/// `Dissection` decodes such a frame to the same segment, with four times the instructions. Any other frame is nil here.
/// `OrdinaryFrameTests` compares the two.
struct OrdinaryFrame {
  static let linkLength = 14
  static let networkLength = 20
  static let transportOffset = linkLength + networkLength
  /// Octets of all headers without options. Every read stays within them.
  private static let leastLength = transportOffset + 20

  let segment: TCPSegment

  /// Returns nil for every other frame. `wireLength` is the frame's length on the wire; `octets` may have more.
  @inline(__always)
  init?(_ octets: RawSpan, wireLength: Int, captured: Int) {
    guard captured >= Self.leastLength, captured <= octets.byteCount,
      Self.isCarried(octets, wireLength: wireLength, IPProtocol.tcp)
    else { return nil }
    let headerLength = Int(octets.octet(within: Self.transportOffset + 12) >> 4) * 4
    let payload = Self.transportOffset + headerLength
    let flags = TCPFlags(rawValue: octets.octet(within: Self.transportOffset + 13))
    guard headerLength >= 20, payload <= wireLength, !flags.contains(.syn) else { return nil }
    segment = TCPSegment(
      source: Endpoint(address: IPAddress(v4: octets.bigEndian32(within: 26)), port: octets.bigEndian16(within: 34)),
      destination: Endpoint(
        address: IPAddress(v4: octets.bigEndian32(within: 30)), port: octets.bigEndian16(within: 36)),
      sequence: octets.bigEndian32(within: 38), acknowledgment: octets.bigEndian32(within: 42), flags: flags,
      window: octets.bigEndian16(within: 48), networkLength: Self.networkLength, headerLength: headerLength,
      payloadOffset: min(payload, captured), payloadLength: wireLength - payload,
      capturedPayloadLength: max(0, captured - payload))
  }

  /// Whether a frame is Ethernet II with nothing but an IPv4 packet without options, which is no fragment and has a payload of this
  /// protocol. Both headers must be captured.
  @inline(__always)
  static func isCarried(_ octets: RawSpan, wireLength: Int, _ number: UInt8) -> Bool {
    // The EtherType 0800, version 4, a header of 20 octets, and any type of service.
    octets.bigEndian32(within: 12) >> 8 == 0x0008_0045
      && Int(octets.bigEndian16(within: 16)) == wireLength - linkLength
      // No more fragments, and no offset.
      && octets.bigEndian16(within: 20) & 0x3fff == 0
      && octets.octet(within: 23) == number
      // The addresses are not those that pcapd invents.
      && octets.bigEndian32(within: 0) != 0xbeef_beef
  }
}

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
