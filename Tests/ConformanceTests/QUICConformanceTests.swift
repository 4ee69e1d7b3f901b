import Capture
import Foundation
import TestSupport
import Testing

@testable import HTTPReassembly

/// What is opened of QUIC, datagram by datagram, against tshark's reading of the same capture.
@Suite struct QUICConformanceTests {
  private struct Row {
    var handshake: Int
    var name: String
  }

  private func rows() throws -> [Row] {
    let path = "\(Locations.captures)/quic.initial.csv"
    let file = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), lineEnd: .lineFeed)
    return file.rows.map { row in
      let lengths = row["crypto_bytes"].split(separator: "+").compactMap { Int($0) }
      return Row(handshake: lengths.reduce(0, +), name: row["server_name"])
    }
  }

  @Test func everyDatagramHasItsHandshakeOctets() throws {
    let rows = try rows()
    try #require(rows.count > 50 && rows.contains { $0.handshake > 0 })
    var pipeline = Pipeline(sink: ConnectionSink())
    var before = 0
    var index = 0
    var reader = try CaptureReader(path: "\(Locations.captures)/quic.pcap.gz")
    while try reader.advance() {
      reader.withPacket { packet, octets in pipeline.process(packet, octets) }
      let ledger = pipeline.ledger
      #expect(ledger.quicHandshake - before == rows[index].handshake, "packet \(index + 1)")
      before = ledger.quicHandshake
      index += 1
    }
    pipeline.finishConnections()
    #expect(index == rows.count)
    let ledger = pipeline.ledger
    #expect(ledger[.quic] == ledger.quicHandshake + ledger.quicPacket + ledger.quicProtected)
    #expect(ledger[.udp] == 0)
    let found = pipeline.sink.found.sorted { $0.number < $1.number }
    #expect(found.map(\.name) == rows.map(\.name).filter { !$0.isEmpty })
    #expect(found.allSatisfy { $0.applicationProtocol == "h3" && $0.version == "1.3" })
  }

  /// With the secrets, each datagram has the octets of CRYPTO frames and of streams that tshark finds in it. It opens nothing behind a
  /// Retry whose client writes another hello.
  @Test func everyDatagramHasItsStreamOctets() throws {
    let path = "\(Locations.captures)/quic.opened.csv"
    let rows = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), lineEnd: .lineFeed).rows
    var pipeline = Pipeline(sink: ConnectionSink())
    pipeline.learn(try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(Locations.captures)/quic.keys"))))
    var before = pipeline.ledger
    var index = 0
    var compared = 0
    var reader = try CaptureReader(path: "\(Locations.captures)/quic.pcap.gz")
    while try reader.advance() {
      var length = 0
      reader.withPacket { packet, octets in
        length = packet.originalLength
        pipeline.process(packet, octets)
      }
      let ledger = pipeline.ledger
      if (Int(rows[index]["stream_bytes"]) ?? 0) > 0 {
        let headers = [OctetClass.link, .network, .transport, .quic].reduce(0) { $0 + ledger[$1] - before[$1] }
        #expect(length - headers == Int(rows[index]["stream_bytes"]), "packet \(index + 1)")
        #expect(ledger.quicHandshake - before.quicHandshake == Int(rows[index]["crypto_bytes"]), "packet \(index + 1)")
        #expect(ledger.quicProtected == before.quicProtected, "packet \(index + 1)")
        compared += 1
      }
      before = ledger
      index += 1
    }
    pipeline.finishConnections()
    let ledger = pipeline.ledger
    #expect(index == rows.count && compared > 20)
    #expect(ledger.pending == 0 && ledger.difference == 0)
  }
}

private struct ConnectionSink: ReportSink {
  var found: [(number: Int, name: String, applicationProtocol: String, version: String)] = []

  mutating func message(_ message: Message, texts: borrowing TextPool) {}
  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {}
  mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    guard let security = connection.security else { return }
    found.append(
      (
        connection.number, texts.string(security.serverName), texts.string(security.applicationProtocol),
        security.versionName
      ))
  }
}
