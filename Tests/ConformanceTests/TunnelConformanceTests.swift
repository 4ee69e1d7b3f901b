import Capture
import Foundation
import HTTPReassembly
import TestSupport
import Testing

/// TLS inside tunnels that CONNECT opened, with and without keys: what curl did through a proxy, as nginx behind it counted it.
@Suite struct TunnelConformanceTests {
  private static let path = Locations.captures + "/tls/proxies.pcap.gz"
  private static let keys = Locations.captures + "/tls/proxies.keys"
  private static let opened = CaptureRun(path: path, keys: keys)
  private static let closed = CaptureRun(path: path)

  private struct Witnessed {
    var host, method, path, version: String
    var request, response, body: Int
  }

  private static func witness() throws -> [Witnessed] {
    try String(contentsOfFile: Locations.captures + "/tls/proxies.witness.csv", encoding: .utf8)
      .split(separator: "\n").dropFirst().map { line in
        let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return Witnessed(
          host: cells[0], method: cells[1], path: cells[2], version: cells[3], request: Int(cells[5]) ?? -1,
          response: Int(cells[6]) ?? -1, body: Int(cells[7]) ?? -1)
      }
  }

  /// Every message inside, of the inner host, with the octets that the server behind the proxy counted.
  @Test func everyMessageInside() throws {
    let run = Self.opened
    #expect(run.readError == nil)
    run.expectBalance("proxies")
    let inside = run.messages.filter { $0.message.isSecure && $0.method != "CONNECT" }
    let expected = try Self.witness().filter { $0.host != "six.example.com" }
    #expect(expected.count == 10)
    for row in expected {
      let host = row.host
      let request = try #require(inside.first { $0.isRequest && $0.path == row.path && $0.host == host }, "\(row.path)")
      let response = try #require(inside.first { !$0.isRequest && $0.path == row.path && $0.host == host })
      #expect(request.method == row.method && request.message.flags.contains(.tunnelled), "\(row.path)")
      #expect(response.message.octets.body == row.body && response.message.exactness == .exact, "\(row.path)")
      #expect(request.message.tls > 0 && response.message.tls > 0, "\(row.path)")
      // Of HTTP/2 the server counts otherwise.
      guard row.version == "HTTP/1.1" else { continue }
      #expect(request.message.octets.total == row.request, "\(row.path)")
      #expect(response.message.octets.total == row.response, "\(row.path)")
    }
    #expect(inside.count == 2 * expected.count)
  }

  /// The connections are called by what is inside, and none of TLS's octets is the tunnel's.
  @Test func connectionsAreCalledByWhatIsInside() {
    let run = Self.opened
    #expect(run.ledger[.tunnel] == 0 && run.ledger[.opaque] == 0)
    let secure = run.connections.filter { $0.security != nil }
    #expect(secure.count == 8)
    #expect(secure.allSatisfy { $0.flags.contains(.tunnel) && $0.applicationProtocol == .http1 })
    #expect(secure.count { $0.security?.opening == .yes } == 7)
    #expect(secure.count { $0.security?.opening == .no } == 1)
    #expect(Set(secure.compactMap { $0.security?.versionName }) == ["1.2", "1.3"])
    // What the proxy's own TLS cost is in it, too: two handshakes are more than one.
    let handshakes = secure.map(\.handshake)
    #expect((handshakes.max() ?? 0) > (handshakes.min() ?? 0) + 500)
    for connection in run.connections {
      let own = run.messages.filter { $0.message.connection == connection.number }
      let parts = connection.setup + connection.teardown + connection.unattributed + connection.control
      #expect(
        own.reduce(0) { $0 + $1.message.ipLength } + parts + connection.handshake
          == connection.ipLength.client + connection.ipLength.server, "connection \(connection.number)")
    }
  }

  /// Without keys, what is inside is TLS all the same, with the server's name.
  @Test func withoutKeys() {
    let run = Self.closed
    run.expectBalance("proxies without keys")
    #expect(run.ledger[.tunnel] == 0)
    #expect(run.ledger[.tls] == run.ledger.tlsHandshake + run.ledger.tlsApplicationData + run.ledger.tlsOther)
    // The CONNECT of the two others is closed, too.
    let tunnels = run.connections.filter { $0.flags.contains(.tunnel) }
    #expect(tunnels.count == 6)
    #expect(tunnels.allSatisfy { $0.security?.opening == .no && $0.handshake > 0 })
    #expect(run.messages.allSatisfy { $0.method == "CONNECT" || !$0.isRequest })
    #expect(Self.opened.ledger[.tls] < run.ledger[.tls])
    #expect(Self.opened.ledger.original == run.ledger.original)
  }

  /// A limit keeps streams from nesting without end: what is deeper is the tunnel's.
  @Test func tlsInsideTLSIsBounded() {
    var configuration = Configuration()
    configuration.nestedTLSLimit = 1
    let packets = Self.packets(ofConnectionsTo: 3129)
    let limited = Analysis(packets, configuration: configuration, secrets: Self.secrets)
    let free = Analysis(packets, secrets: Self.secrets)
    #expect(limited.violations == [] && free.violations == [])
    #expect(limited.anomalies[.tunnelTooDeep] > 0 && free.anomalies[.tunnelTooDeep] == 0)
    #expect(limited.ledger[.tunnel] > 0 && free.ledger[.tunnel] == 0)
    #expect(limited.requests.allSatisfy { $0.method == "CONNECT" } && free.requests.count == 5)
  }

  // MARK: Cuts and losses

  private static let secrets = FileManager.default.contents(atPath: keys).map { [UInt8]($0) } ?? []

  private static func packets(ofConnectionsTo port: UInt16) -> [TestPacket] {
    var packets: [TestPacket] = []
    guard var reader = try? CaptureReader(path: path) else { return [] }
    while (try? reader.advance()) == true {
      reader.withPacket { packet, octets in
        guard octets.byteCount > 38, octets.bigEndian16(34) == port || octets.bigEndian16(36) == port else { return }
        var copy: [UInt8] = []
        octets.append(0..<octets.byteCount, to: &copy)
        packets.append(
          TestPacket(
            timestamp: packet.timestamp, octets: copy, originalLength: packet.originalLength,
            linkType: packet.linkType))
      }
    }
    return packets
  }

  /// What each side sent, in turns, of each connection to a proxy.
  private static func dialogues() throws -> [Turns] {
    var reader = try CaptureReader(path: path)
    var ports: [UInt16] = []
    var turns: [UInt16: Turns] = [:]
    while try reader.advance() {
      reader.withPacket { _, octets in
        let (source, target) = (octets.bigEndian16(34), octets.bigEndian16(36))
        let isClient = target == 3128 || target == 3129
        let start = 34 + Int(octets.octet(46) >> 4) * 4
        let end = 14 + Int(octets.bigEndian16(16))
        guard end > start else { return }
        let port = isClient ? source : target
        if turns[port] == nil { ports.append(port) }
        if turns[port]?.last?.peer != (isClient ? .client : .server) {
          turns[port, default: []].append((isClient ? .client : .server, []))
        }
        octets.append(start..<end, to: &turns[port, default: []][(turns[port]?.count ?? 1) - 1].octets)
      }
    }
    return ports.compactMap { turns[$0] }
  }

  /// Cut anywhere, with and without keys: TLS 1.3, TLS 1.2, HTTP/2, and TLS inside TLS.
  @Test(arguments: [(1, true), (2, true), (3, true), (6, true), (1, false)])
  func cutAnywhere(_ number: Int, _ hasKeys: Bool) throws {
    let dialogues = try Self.dialogues()
    let turns = dialogues[number]
    let secrets = hasKeys ? Self.secrets : []
    let whole = Analysis(Dialogue(turns, cut: nil).packets(), secrets: secrets)
    #expect(whole.violations == [] && whole.messages.count >= (hasKeys ? 4 : 2))
    let expected = whole.secureText
    for (number, turn) in turns.enumerated() {
      for cut in stride(
        from: 1, to: turn.octets.count, by: turn.octets.count > 600 ? max(97, turn.octets.count / 60) : 5)
      {
        let analysis = Analysis(Dialogue(turns, cut: (number, cut)).packets(), secrets: secrets)
        guard analysis.violations == [], analysis.secureText == expected else {
          Issue.record("turn \(number) cut after \(cut): \(analysis.violations) \(analysis.secureText)")
          return
        }
      }
    }
  }

  /// Segments of any length, repeated, swapped, lost: whatever comes of it, everything adds up, and no row is exact that is not.
  @Test func anyOrderAnyLoss() throws {
    var random = SeededRandom(seed: 19)
    for turns in try Self.dialogues() {
      expectKnownRows(turns, secrets: Self.secrets, loss: 1 / 60, random: &random)
    }
  }
}
