/// A capture of one exchange on one connection, with whatever octets a test wants in it.
enum HandMadeCapture {
  static let client: [UInt8] = [203, 0, 113, 77]
  static let server: [UInt8] = [198, 51, 100, 88]

  /// When it was captured, unless another time is asked for, in seconds since the Unix epoch.
  static let second = 1_700_000_000

  /// A pcap file: handshake, request, response, and the end of both streams.
  static func octets(request: String, response: String, at second: Int = second) -> [UInt8] {
    octets(Array(request.utf8), Array(response.utf8), at: second)
  }

  /// As above, of octets.
  static func octets(_ request: [UInt8], _ response: [UInt8], at second: Int = second) -> [UInt8] {
    let (asked, answered) = (1001 + request.count, 5001 + response.count)
    let packets = [
      packet(true, 1000, 0, 0x02, []), packet(false, 5000, 1001, 0x12, []), packet(true, 1001, 5001, 0x10, []),
      packet(true, 1001, 5001, 0x18, request), packet(false, 5001, asked, 0x18, response),
      packet(true, asked, answered, 0x11, []), packet(false, answered, asked + 1, 0x11, []),
      packet(true, asked + 1, answered + 1, 0x10, []),
    ]
    var file = little(0xa1b2_c3d4) + [2, 0, 4, 0] + little(0) + little(0) + little(262_144) + little(1)
    for (index, packet) in packets.enumerated() {
      file += little(second) + little(index * 1000) + little(packet.count) + little(packet.count) + packet
    }
    return file
  }

  private static func packet(
    _ isClient: Bool, _ sequence: Int, _ acknowledgment: Int, _ flags: UInt8, _ payload: [UInt8]
  ) -> [UInt8] {
    let ports = isClient ? big(45_678, 2) + big(80, 2) : big(80, 2) + big(45_678, 2)
    var segment = ports + big(sequence, 4) + big(acknowledgment, 4)
    segment += [0x50, flags] + big(64_000, 2) + [0, 0, 0, 0] + payload
    var header: [UInt8] = [0x45, 0] + big(20 + segment.count, 2) + [0, 1, 0x40, 0, 64, 6, 0, 0]
    header += isClient ? client + server : server + client
    var sum = stride(from: 0, to: 20, by: 2).reduce(0) { $0 + Int(header[$1]) << 8 + Int(header[$1 + 1]) }
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    header.replaceSubrange(10..<12, with: big(~sum & 0xffff, 2))
    return [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0] + header + segment
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ((count - 1 - $0) * 8)) }
  }

  private static func little(_ value: Int) -> [UInt8] { big(value, 4).reversed() }
}
