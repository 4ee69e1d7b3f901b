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
      let lengths = (row["crypto_bytes"] ?? "").split(separator: "+").compactMap { Int($0) }
      return Row(handshake: lengths.reduce(0, +), name: row["server_name"] ?? "")
    }
  }

  @Test func everyDatagramHasItsHandshakeOctets() throws {
    let rows = try rows()
    try #require(rows.count > 50 && rows.contains { $0.handshake > 0 })
    var pipeline = Pipeline(sink: CollectingSink())
    var index = 0
    var before = 0
    try CaptureRun.forEachPacket(of: "\(Locations.captures)/quic.pcap.gz") { packet, octets in
      pipeline.process(packet, octets)
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
    let names = pipeline.sink.connections.sorted { $0.number < $1.number }.map {
      pipeline.totals.texts.string($0.tls.serverName)
    }
    #expect(names == rows.map(\.name).filter { !$0.isEmpty })
  }
}
