import HTTPReassembly
import TestSupport

extension FuzzTarget {
  /// Datagrams of two clients and one server, of which anything may be changed: everything adds up, whatever was opened.
  ///
  /// Input: for each datagram who sends it (1: the server, the other client, another port, the snap length), its length (2), its octets.
  package static let quic = FuzzTarget("quic", longestInput: 8192) { input in
    var input = InputOctets(input)
    var packets: [TestPacket] = []
    while input.hasMore, packets.count < 32 {
      let choices = input.next()
      let length = input.next16() % 1500
      packets.append(datagram(input.take(length), choices, number: packets.count))
    }
    return Analysis(packets, configuration: .cheap).violations.first
  }

  /// A datagram in a frame of Ethernet. Checksums are not looked at.
  private static func datagram(_ payload: [UInt8], _ choices: UInt8, number: Int) -> TestPacket {
    let client: [UInt8] = [192, 0, 2, choices & 2 == 0 ? 1 : 2]
    let server: [UInt8] = [198, 51, 100, 1]
    let port = (choices & 4 == 0 ? 50_000 : 50_001).twoOctets
    let isServers = choices & 1 == 1
    var octets: [UInt8] = [UInt8](repeating: 2, count: 12) + [8, 0]
    octets += [0x45, 0] + (28 + payload.count).twoOctets + [0, 0, 0x40, 0, 64, 17, 0, 0]
    octets += isServers ? server + client + 443.twoOctets + port : client + server + port + 443.twoOctets
    octets += (8 + payload.count).twoOctets + [0, 0] + payload
    let captured = choices & 8 == 0 ? octets.count : min(octets.count, 60 + Int(choices >> 4) * 60)
    return TestPacket(
      timestamp: 1_700_000_000_000_000_000 + Int64(number) * 1_000_000, octets: Array(octets[..<captured]),
      originalLength: octets.count, linkType: .ethernet)
  }
}

extension Int {
  /// Its low 16 bits, the high octet first.
  var twoOctets: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
