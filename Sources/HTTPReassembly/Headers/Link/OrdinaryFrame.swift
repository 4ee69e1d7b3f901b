/// A frame as nearly all are where they are many: Ethernet II, IPv4 without options that is no fragment, and TCP, with nothing
/// between or behind them.
///
/// The same as what `Dissection` makes of such a frame, for a quarter of the instructions; of any other it is nil.
/// `OrdinaryFrameTests` holds the two together.
struct OrdinaryFrame {
  static let linkLength = 14
  static let networkLength = 20
  private static let transportOffset = linkLength + networkLength
  /// Octets of all headers without options: whatever is loaded lies in these.
  private static let leastLength = transportOffset + 20

  let segment: TCPSegment

  /// Nil when the frame is another one, or may be. `wireLength` is its length on the wire; `octets` may have more.
  @inline(__always)
  init?(_ octets: RawSpan, wireLength: Int, captured: Int) {
    guard captured >= Self.leastLength, captured <= octets.byteCount,
      // The type, the version with the header's length, and the type of service: 0800 45xx.
      octets.bigEndian32(within: 12) >> 8 == 0x0008_0045,
      Int(octets.bigEndian16(within: 16)) == wireLength - Self.linkLength,
      // Neither more fragments nor an offset.
      octets.bigEndian16(within: 20) & 0x3fff == 0,
      octets.octet(within: 23) == IPProtocol.tcp,
      // Addresses that pcapd invents.
      octets.bigEndian32(within: 0) != 0xbeef_beef
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
}
