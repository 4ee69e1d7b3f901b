import TestSupport
import Testing

@testable import HTTPReassembly

/// What peers of QUIC may send too much of: it is left out where it costs least.
@Suite struct QUICHostileTests {
  private typealias Sent = (peer: Peer, octets: [UInt8])

  private func analyze(_ sent: [Sent], _ writer: QUICWriter, _ configuration: Configuration = .init()) -> Analysis {
    let client: (address: [UInt8], port: Int) = ([192, 0, 2, 1], 50_000)
    let server: (address: [UInt8], port: Int) = ([198, 51, 100, 1], 443)
    let packets = sent.enumerated().map { index, sent in
      let isClient = sent.peer == .client
      return TestPacket.datagram(
        sent.octets, from: isClient ? client : server, to: isClient ? server : client,
        at: 1_700_000_000_000_000_000 + Int64(index) * 1_000_000)
    }
    let analysis = Analysis(packets, configuration: configuration, secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [])
    return analysis
  }

  /// Requests that nobody answers give way to further ones, but the streams with the settings and the table of fields stay.
  @Test func streamsThatLastAreKept() {
    var configuration = Configuration()
    configuration.quicStreamLimit = 16
    var writer = QUICWriter(seed: 41)
    var sent: [Sent] = QUICWriter.opening(&writer)
    // SETTINGS allow a table of 4,096 octets. The client's only entry is a path.
    let settings = QUICWriter.stream(3, [0x00, 0x04, 0x03, 0x01, 0x50, 0x00])
    sent.append((.server, writer.packet(.server, .application, settings)))
    let table = QUICWriter.stream(2, [0x00, 0x04, 0x00]) + QUICWriter.stream(6, [0x02, 0x3f, 0xe1, 0x1f])
    sent.append((.client, writer.packet(.client, .application, table)))
    for number in 0..<60 {
      let path: [UInt8] = [0xc1, 0x02, 0x2f, 0x30 + UInt8(number % 10)]
      let entry = QUICWriter.stream(6, path, at: 4 + 4 * number)
      // It needs all entries so far, and names the newest one.
      let section: [UInt8] = [UInt8((number + 1) % 256 + 1), 0x00, 0xd1, 0xd7, 0x50, 0x01, 0x61, 0x80]
      let request = QUICWriter.stream(4 * number, [0x01, UInt8(section.count)] + section, isLast: true)
      sent.append((.client, writer.packet(.client, .application, entry + request)))
    }
    let analysis = analyze(sent, writer, configuration)
    #expect(analysis.requests.map(\.path) == (0..<60).map { "/\($0 % 10)" })
    #expect(analysis.anomalies[.quicStreamsFull] > 0)
  }

  /// A handshake in pieces with holes everywhere takes little memory.
  @Test func piecesOfHandshakesAreBounded() {
    var random = SeededRandom(seed: 42)
    var writer = QUICWriter(seed: 42)
    var sent = Array(QUICWriter.opening(&writer)[..<2])
    for _ in 0..<300 {
      let frames = (0..<100).flatMap { _ in QUICWriter.crypto([1], at: 300 + random.number(0..<1 << 40)) }
      sent.append((.client, writer.packet(.client, .handshake, frames)))
      sent.append((.client, writer.packet(.client, .initial, frames)))
    }
    #expect(analyze(sent, writer).mostConnectionOctets < 200_000)
  }

  /// Octets of a stream with holes between them take little memory, and work that does not grow with their number.
  @Test func piecesOfStreamsAreBounded() {
    var random = SeededRandom(seed: 43)
    var writer = QUICWriter(seed: 43, suite: 0x1301)
    var sent = QUICWriter.opening(&writer, protocolName: "hq")
    for _ in 0..<100 {
      let frames = (0..<100).flatMap { _ in QUICWriter.stream(0, [1], at: 1 + 2 * random.number(0..<20_000)) }
      sent.append((.client, writer.packet(.client, .application, frames)))
    }
    let analysis = analyze(sent, writer)
    #expect(analysis.connections.allSatisfy { $0.flags.contains(.holdLimit) })
    #expect(analysis.mostConnectionOctets < 400_000)
  }
}
