/// A frame as nearly all are where they are many: Ethernet II, IPv4 without options that is no fragment, and TCP, with nothing
/// between or behind them.
///
/// The same as what `Dissection` makes of such a frame, for a quarter of the instructions; of any other it is nil.
/// `OrdinaryFrameTests` holds the two together.
struct OrdinaryFrame {
  static let linkLength = 14
  static let networkLength = 20
  private static let transportOffset = linkLength + networkLength

  let segment: TCPSegment

  /// Nil when the frame is another one, or may be. `wireLength` is its length on the wire; `octets` may have more.
  @inline(__always)
  init?(_ octets: RawSpan, wireLength: Int, captured: Int) {
    guard captured >= Self.transportOffset + 20,
      // The type, the version with the header's length, and the type of service: 0800 45xx.
      octets.bigEndian32(12) >> 8 == 0x0008_0045,
      Int(octets.bigEndian16(16)) == wireLength - Self.linkLength,
      // Neither more fragments nor an offset.
      octets.bigEndian16(20) & 0x3fff == 0,
      octets.octet(23) == IPProtocol.tcp,
      // Addresses that pcapd invents.
      octets.littleEndian32(0) != 0xefbe_efbe
    else { return nil }
    let headerLength = Int(octets.octet(Self.transportOffset + 12) >> 4) * 4
    let payload = Self.transportOffset + headerLength
    let flags = TCPFlags(rawValue: octets.octet(Self.transportOffset + 13))
    guard headerLength >= 20, payload <= wireLength, !flags.contains(.syn) else { return nil }
    segment = TCPSegment(
      source: Endpoint(address: IPAddress(v4: octets.bigEndian32(26)), port: octets.bigEndian16(34)),
      destination: Endpoint(address: IPAddress(v4: octets.bigEndian32(30)), port: octets.bigEndian16(36)),
      sequence: octets.bigEndian32(38), acknowledgment: octets.bigEndian32(42), flags: flags,
      window: octets.bigEndian16(48), networkLength: Self.networkLength, headerLength: headerLength,
      payloadOffset: min(payload, captured), payloadLength: wireLength - payload,
      capturedPayloadLength: max(0, captured - payload))
  }
}
