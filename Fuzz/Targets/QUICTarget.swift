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

  /// Frames in packets that are opened, in any order, on both sides: everything adds up, whatever the frames say.
  ///
  /// Input: for each packet its sender (1: the server), how its number and keys change, its length (2), its frames.
  package static let quicFrames = FuzzTarget("quic-frames", longestInput: 8192) { input in
    var input = InputOctets(input)
    var writer = QUICWriter(seed: 1, suite: 0x1301)
    var packets = QUICWriter.opening(&writer).enumerated().map { index, sent in
      datagram(sent.octets, sent.peer == .server ? 1 : 0, number: index)
    }
    while input.hasMore, packets.count < 64 {
      let choices = input.next()
      let peer = choices & 1 == 1 ? Peer.server : .client
      let length = input.next16() % 1400
      if choices & 0xe0 == 0xe0 { writer.updateKeys(peer) }
      let number = choices & 0x10 != 0 ? Int(choices >> 1 & 7) : nil
      let sent = writer.packet(peer, .application, input.take(length), number: number, numberLength: 4)
      packets.append(datagram(sent, choices & 9, number: packets.count))
    }
    return Analysis(packets, configuration: .cheap, secrets: Array(writer.log.utf8)).violations.first
  }

  private static func datagram(_ payload: [UInt8], _ choices: UInt8, number: Int) -> TestPacket {
    let client: (address: [UInt8], port: Int) = (
      [192, 0, 2, choices & 2 == 0 ? 1 : 2], choices & 4 == 0 ? 50_000 : 50_001
    )
    let server: (address: [UInt8], port: Int) = ([198, 51, 100, 1], 443)
    let isServers = choices & 1 == 1
    return .datagram(
      payload, from: isServers ? server : client, to: isServers ? client : server,
      at: 1_700_000_000_000_000_000 + Int64(number) * 1_000_000,
      captured: choices & 8 == 0 ? .max : 60 + Int(choices >> 4) * 60)
  }
}

extension Int {
  /// Its low 16 bits, the high octet first.
  var twoOctets: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
