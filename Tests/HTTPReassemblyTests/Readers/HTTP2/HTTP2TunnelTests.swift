import TestSupport
import Testing

@testable import HTTPReassembly

/// Connections in streams that CONNECT opened: TLS with HTTP/1 or HTTP/2, and HTTP/1 in clear.
@Suite struct HTTP2TunnelTests {
  private typealias Writer = HTTP2Writer

  private enum Kind: CaseIterable { case http1, http2, clear }

  /// Tunnels on one connection, whose octets come between each other's.
  private struct Tunnels {
    var dialogue = Dialogue.opened()
    var secrets: [UInt8] = []
    /// The lengths of the messages inside, by path; interim ones do not exist.
    var lengths: [String: (request: Int, response: Int)] = [:]

    /// What the sides of a tunnel say, in turn.
    private struct Script {
      var stream: UInt32
      var steps: [(peer: Peer, octets: [UInt8])] = []
    }

    init(_ kinds: [Kind], exchanges: Int, seed: Int) {
      var random = SeededRandom(seed: UInt64(seed))
      HTTP2Tests.opened(&dialogue)
      var (client, server) = (Writer(), Writer())
      var scripts: [Script] = []
      for (index, kind) in kinds.enumerated() {
        let stream = UInt32(2 * index + 1)
        let fields = [(":method", "CONNECT"), (":authority", "h\(index).example:443")]
        dialogue.send(.client, Writer.headers(stream, client.block(fields)))
        dialogue.send(.server, Writer.headers(stream, server.block(Writer.response())))
        scripts.append(script(kind, stream, index, exchanges, seed, &random))
      }
      while let index = scripts.indices.filter({ !scripts[$0].steps.isEmpty }).randomElement(using: &random) {
        let step = scripts[index].steps.removeFirst()
        let isLast = scripts[index].steps.isEmpty
        var octets: [UInt8] = []
        var rest = step.octets[...]
        while !rest.isEmpty {
          let part = rest.prefix(random.number(1..<3000))
          rest = rest.dropFirst(part.count)
          octets += Writer.data(
            scripts[index].stream, Array(part), ends: isLast && rest.isEmpty,
            padding: random.chance(0.1) ? random.number(0..<20) : nil)
        }
        for start in stride(from: 0, to: octets.count, by: 1400) {
          dialogue.send(step.peer, Array(octets[start..<min(start + 1400, octets.count)]))
        }
      }
      for index in kinds.indices { dialogue.send(.client, Writer.data(UInt32(2 * index + 1), [], ends: true)) }
      dialogue.close()
    }

    private mutating func script(
      _ kind: Kind, _ stream: UInt32, _ index: Int, _ exchanges: Int, _ seed: Int, _ random: inout SeededRandom
    ) -> Script {
      var script = Script(stream: stream)
      var writer = TLSWriter(version: 0x0304, seed: UInt8(truncatingIfNeeded: 16 * seed + index))
      if kind != .clear {
        script.steps.append((.client, writer.clientHello(host: "h\(index).example")))
        script.steps.append((.server, writer.serverHello() + writer.serverFlight()))
        script.steps.append((.client, writer.clientFinish()))
      }
      func sealed(_ peer: Peer, _ octets: [UInt8]) -> [UInt8] {
        kind == .clear ? octets : writer.data(peer, octets, size: 2000)
      }
      var (client, server) = (Writer(), Writer())
      if kind == .http2 { script.steps.append((.client, sealed(.client, Writer.preface + Writer.settings()))) }
      for number in 0..<exchanges {
        let path = "/\(index)/\(number)"
        let body = HTTP.body(random.chance(0.3) ? random.number(0..<20_000) : random.number(0..<500))
        var (request, response) = (
          Array("GET \(path) HTTP/1.1\r\nHost: h\(index).example\r\n\r\n".utf8),
          Array(HTTP.ok(body, fields: "Content-Type: n\(path)\r\n").utf8)
        )
        if kind == .http2 {
          let inner = UInt32(2 * number + 1)
          request = Writer.headers(
            inner, client.block(Writer.request(path, authority: "h\(index).example")), ends: true)
          response = Writer.headers(inner, server.block(Writer.response(200, [("content-type", "n\(path)")])))
          for start in stride(from: 0, to: max(body.utf8.count, 1), by: 16_000) {
            let part = Array(body.utf8.dropFirst(start).prefix(16_000))
            response += Writer.data(inner, part, ends: start + 16_000 >= body.utf8.count)
          }
        }
        lengths[path] = (request.count, response.count)
        script.steps.append((.client, sealed(.client, request)))
        script.steps.append((.server, sealed(.server, response)))
      }
      secrets += Array(writer.log.utf8)
      return script
    }

    func analysis(dropping dropped: Set<Int> = []) -> Analysis {
      let segments = dialogue.segments.indices.filter { !dropped.contains($0) }.map { dialogue.segments[$0] }
      return Analysis(segments.map { $0.packet() }, secrets: secrets)
    }
  }

  /// All messages inside are there, with their own lengths, and CONNECT's frames are its own.
  @Test func tunnelsAreConnections() {
    let sets: [[Kind]] = [[.http1], [.http2], [.clear], [.http1, .http1], [.clear, .http2, .http1, .http1, .clear]]
    for seed in RandomCases.seeds(0..<40) {
      for kinds in sets {
        let tunnels = Tunnels(kinds, exchanges: 6, seed: seed)
        let analysis = tunnels.analysis()
        let note = "\(kinds), seed \(seed)"
        #expect(analysis.violations == [], "\(note)")
        let inside = analysis.messages.filter { $0.method != "CONNECT" }
        #expect(inside.count == 12 * kinds.count && analysis.messages.count == 14 * kinds.count, "\(note)")
        for row in inside {
          let length = tunnels.lengths[row.path].map { row.kind == .request ? $0.request : $0.response }
          #expect(row.octets.total == length && row.exactness == .exact, "\(note) \(row.path)")
          #expect(row.host == "h\(row.path.dropFirst().prefix(1)).example", "\(note) \(row.host)")
          if row.kind == .response { #expect(row.content.first == "n" + row.path, "\(note)") }
        }
        #expect(analysis.ledger.tlsApplicationData == 0 && analysis.ledger[.tunnel] == 0, "\(note)")
        let names = analysis.connections.map { $0.security.map { analysis.totals.texts.string($0.serverName) } }
        let isNamed = kinds == [.http1] || kinds == [.http2]
        #expect(names == [kinds == [.clear] ? nil : isNamed ? "h0.example" : ""], "\(note)")
      }
    }
  }

  /// With octets lost, no row says what is not so.
  @Test func lossInTunnels() {
    var exact = 0
    for seed in RandomCases.seeds(0..<200) {
      let kinds: [Kind] = [[.http1], [.http2, .http1], [.clear, .http1], [.clear]][seed / 4 % 4]
      let tunnels = Tunnels(kinds, exchanges: 8, seed: seed)
      var random = SeededRandom(seed: UInt64(seed))
      let dropped = Set((0..<random.number(1..<5)).map { _ in random.number(6..<tunnels.dialogue.segments.count) })
      let analysis = tunnels.analysis(dropping: dropped)
      #expect(analysis.violations == [], "seed \(seed)")
      for row in analysis.messages where row.method != "CONNECT" && row.exactness == .exact {
        exact += 1
        // Where the request was lost, the path is not known; where a field was, the type may not be.
        let possible = row.path.isEmpty ? Array(tunnels.lengths.values) : tunnels.lengths[row.path].map { [$0] } ?? []
        #expect(
          possible.contains { row.octets.total == (row.kind == .request ? $0.request : $0.response) },
          "seed \(seed) \(row.path)")
        if row.kind == .response, row.pairing != .unknown, let type = row.content.first, !type.isEmpty {
          #expect(type == "n" + row.path, "seed \(seed) \(row.path)")
        }
      }
    }
    #expect(exact > 10 * RandomCases.count(200) / 4)
  }

  /// Octets that are no connection stay the tunnel's, and so do those of an extended CONNECT.
  @Test func otherTunnels() {
    for fields in [[], [(":protocol", "websocket"), (":scheme", "https"), (":path", "/chat")]] {
      var (client, server) = (Writer(), Writer())
      var dialogue = HTTP2Tests.opened
      let start = [(":method", "CONNECT"), (":authority", "h.example")]
      dialogue.send(.client, Writer.headers(1, client.block(start + fields)))
      dialogue.send(.server, Writer.headers(1, server.block(Writer.response())))
      let hello = TLSWriter(version: 0x0304, seed: 1).clientHello(host: "h.example")
      for octets in [[0x81, 0x85, 1, 2], [3, 4]] + (fields.isEmpty ? [] : [hello]) {
        dialogue.send(.client, Writer.data(1, octets))
      }
      dialogue.send(.server, Writer.data(1, [0x81, 1, 9], ends: true))
      let analysis = HTTP2Tests.analysis(dialogue)
      #expect(analysis.ledger[.tunnel] == (fields.isEmpty ? 9 : 9 + hello.count) && analysis.ledger[.tls] == 0)
      #expect(analysis.messages.count == 2)
    }
  }

  /// Further tunnels than are read are `tunnel`.
  @Test func moreTunnelsThanAreRead() {
    var configuration = Configuration()
    configuration.tunnelLimit = 2
    let tunnels = Tunnels([.clear, .clear, .clear], exchanges: 1, seed: 5)
    let analysis = Analysis(tunnels.dialogue.packets(), configuration: configuration)
    #expect(analysis.violations == [])
    #expect(analysis.messages.count == 10 && analysis.ledger[.tunnel] > 0)
  }
}
