import Packets

/// The ends of the connection that a packet opens, read from its IP header on. The packet is a SYN of TCP or an Initial packet of QUIC.
struct FirstPacket: Equatable {
  var source: Endpoint
  var destination: Endpoint
  var transport: OpenedConnection.Transport

  /// Nil unless the octets start a TCP segment or UDP datagram over IPv4, or IPv6 without extension headers. The socket's filter only lets
  /// packets pass that open a connection.
  init?(_ octets: RawSpan) {
    guard octets.byteCount >= 20 else { return nil }
    let start: Int
    let addresses: (IPAddress, IPAddress)
    let number: UInt8
    switch octets.octet(0) >> 4 {
    case 4:
      start = Int(octets.octet(0) & 0x0f) * 4
      addresses = (IPAddress(v4: octets.bigEndian32(12)), IPAddress(v4: octets.bigEndian32(16)))
      number = octets.octet(9)
      guard start >= 20 else { return nil }
    case 6:
      start = 40
      guard octets.byteCount >= start else { return nil }
      addresses = (
        IPAddress(high: octets.bigEndian64(8), low: octets.bigEndian64(16)),
        IPAddress(high: octets.bigEndian64(24), low: octets.bigEndian64(32))
      )
      number = octets.octet(6)
    default: return nil
    }
    guard let transport = OpenedConnection.Transport(rawValue: number),
      octets.byteCount >= start + (transport == .tcp ? 14 : 8)
    else { return nil }
    self.transport = transport
    source = Endpoint(address: addresses.0, port: octets.bigEndian16(start))
    destination = Endpoint(address: addresses.1, port: octets.bigEndian16(start + 2))
  }
}
