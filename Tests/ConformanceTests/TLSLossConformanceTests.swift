import Foundation
import HTTPReassembly
import TestSupport
import Testing

/// Connections of OpenSSL under all suites and versions, each without one of its packets.
@Suite struct TLSLossConformanceTests {
  /// The packets of each connection of the recorded suites, by the client's port.
  private static func connections() throws -> [[TestPacket]] {
    let all = try MutationTrial(path: Locations.captures + "/tls/suites.pcap.gz").packets
    func port(_ packet: TestPacket) -> Int {
      let (source, target) = (
        Int(packet.octets[20]) << 8 | Int(packet.octets[21]), Int(packet.octets[22]) << 8 | Int(packet.octets[23])
      )
      return source == 443 ? target : source
    }
    return Dictionary(grouping: all, by: port).sorted { $0.key < $1.key }.map(\.value)
  }

  /// What an exact row says, but for the request of a response.
  private func words(_ message: SeenMessage) -> String {
    let octets = message.octets
    let name = message.kind == .request ? "\(message.method) \(message.host)\(message.path)" : "\(message.status)"
    return "\(name) \(octets.startLine) \(octets.header) \(octets.body) \(octets.framing) \(octets.trailer)"
  }

  @Test func oneLostPacketMakesNoExactRowWrong() throws {
    let path = Locations.captures + "/tls/suites.keys"
    let secrets = [UInt8](try #require(FileManager.default.contents(atPath: path)))
    var later = (block: 0, authenticated: 0)
    for packets in try Self.connections() {
      let whole = Analysis(packets, secrets: secrets)
      let truth = Dictionary(grouping: whole.messages.map(words), by: { $0 }).mapValues(\.count)
      let suite = whole.connections.first?.security?.suiteName ?? ""
      let withPayload = packets.indices.filter { packets[$0].originalLength > 40 }
      for (number, lost) in withPayload.enumerated() where RandomCases.areAll || number % 2 == 1 {
        var rest = packets
        rest.remove(at: lost)
        let found = Analysis(rest, secrets: secrets)
        #expect(found.violations == [], "\(suite), \(lost)")
        // A connection is TLS by the client's hello, the first payload, though the server's first packet is lost.
        if number > 0 { #expect(found.connections.first?.security != nil, "\(suite), \(lost)") }
        // With the ClientHello, records of TLS 1.3 open, whichever packet of the server is lost.
        if number > 0, !truth.isEmpty, whole.connections.first?.security?.version == 0x0304 {
          #expect(found.connections.first?.security?.suiteName == suite, "\(suite), \(lost)")
          #expect(found.connections.first?.security?.opening != .no, "\(suite), \(lost)")
          #expect(found.messages.count >= whole.messages.count - 2, "\(suite), \(lost)")
        }
        let exact = Dictionary(grouping: found.messages.filter { $0.exactness == .exact }.map(words), by: { $0 })
        for (row, copies) in exact {
          #expect(copies.count <= truth[row] ?? 0, "\(suite) without packet \(lost): \(row)")
        }
        if suite.contains("CBC") {
          later.block += found.messages.count
        } else {
          later.authenticated += found.messages.count
        }
      }
    }
    // Records of block ciphers are found behind a gap as others are.
    #expect(later.block > 300 && later.authenticated > 300, "\(later)")
  }
}
