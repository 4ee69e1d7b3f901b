import Packets

/// The ends of the connection that a SYN opens, read from its IP header on.
struct SynPacket: Equatable {
  var source: Endpoint
  var destination: Endpoint

  /// Nil when the octets are no start of a TCP segment of IPv4 or IPv6 without extension headers.
  init?(_ octets: RawSpan) {
    guard octets.byteCount >= 40 else { return nil }
    let transport: Int
    let addresses: (IPAddress, IPAddress)
    switch octets.octet(0) >> 4 {
    case 4:
      transport = Int(octets.octet(0) & 0x0f) * 4
      addresses = (IPAddress(v4: octets.bigEndian32(12)), IPAddress(v4: octets.bigEndian32(16)))
      guard transport >= 20, octets.octet(9) == 6 else { return nil }
    case 6:
      transport = 40
      addresses = (
        IPAddress(high: octets.bigEndian64(8), low: octets.bigEndian64(16)),
        IPAddress(high: octets.bigEndian64(24), low: octets.bigEndian64(32))
      )
      guard octets.octet(6) == 6 else { return nil }
    default: return nil
    }
    guard octets.byteCount >= transport + 14 else { return nil }
    source = Endpoint(address: addresses.0, port: octets.bigEndian16(transport))
    destination = Endpoint(address: addresses.1, port: octets.bigEndian16(transport + 2))
  }
}
