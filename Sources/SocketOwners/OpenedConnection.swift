import Packets

/// A TCP or QUIC connection that one end of this machine opened or accepted, and the process of that end. The helper sends it to the run,
/// as 80 octets in the machine's byte order.
package struct OpenedConnection: Equatable, Sendable {
  /// The transport protocol, by its number in IP headers.
  package enum Transport: UInt8, Sendable {
    case tcp = 6
    case udp = 17
  }

  /// The process's end.
  package var local: Endpoint
  /// The other end.
  package var remote: Endpoint
  /// The process identifier.
  package var identifier: UInt32
  /// The name of the process, from `/proc/PID/comm`: up to 15 octets.
  package var name: [UInt8]
  /// When the connection opened, in nanoseconds since the Unix epoch; 0 if it was open before the helper started.
  package var time: Int64
  /// TCP, or UDP for QUIC.
  package var transport: Transport

  /// The length of a record in octets.
  package static let length = 80
  private static let nameLimit = 16

  package init(
    local: Endpoint, remote: Endpoint, identifier: UInt32, name: [UInt8], time: Int64, transport: Transport = .tcp
  ) {
    self.local = local
    self.remote = remote
    self.identifier = identifier
    self.name = Array(name.prefix(Self.nameLimit))
    self.time = time
    self.transport = transport
  }

  /// The record.
  var octets: [UInt8] {
    var octets: [UInt8] = []
    func append(_ value: UInt64, _ count: Int) {
      for shift in 0..<count { octets.append(UInt8(truncatingIfNeeded: value >> UInt64(shift * 8))) }
    }
    for end in [local, remote] {
      append(end.address.high, 8)
      append(end.address.low, 8)
      append(UInt64(end.port), 2)
    }
    append(UInt64(identifier), 4)
    append(UInt64(bitPattern: time), 8)
    octets += name + Array(repeating: 0, count: Self.nameLimit - name.count) + [transport.rawValue]
    return octets + Array(repeating: 0, count: Self.length - octets.count)
  }

  /// Reads a record, which must be complete.
  package init(_ octets: RawSpan) {
    local = Self.endpoint(octets, at: 0)
    remote = Self.endpoint(octets, at: 18)
    identifier = octets.littleEndian32(36)
    time = Int64(bitPattern: octets.littleEndian64(40))
    name = []
    octets.append(48..<48 + Self.nameLimit, to: &name)
    name = Array(name.prefix { $0 != 0 })
    transport = Transport(rawValue: octets.octet(48 + Self.nameLimit)) ?? .tcp
  }

  private static func endpoint(_ octets: RawSpan, at start: Int) -> Endpoint {
    Endpoint(
      address: IPAddress(high: octets.littleEndian64(start), low: octets.littleEndian64(start + 8)),
      port: octets.littleEndian16(start + 16))
  }
}
