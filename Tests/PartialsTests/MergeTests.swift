import Foundation
import HTTPReassembly
import Packets
import Partials
import TestSupport
import Testing

/// Partials of parts of a capture, put together, say what one run over the capture says.
@Suite struct MergeTests {
  private static func parts(_ packets: [TestPacket], at cuts: [Int]) -> [[TestPacket]] {
    let edges = [0] + cuts.sorted() + [packets.count]
    return zip(edges, edges.dropFirst()).map { Array(packets[$0..<$1]) }
  }

  @Test func thereAreCaptures() { #expect(OwnCaptures.names.count >= 30) }

  @Test(arguments: OwnCaptures.names)
  func isTheReportOfOneRun(_ name: String) throws {
    let trial = try OwnCaptures.trial(name)
    let packets = Array(trial.packets.prefix(1500))
    let folder = try PartialFolder()
    var random = SeededRandom(seed: UInt64(name.utf8.reduce(7) { $0 &* 31 &+ Int($1) } & 0xffff))
    for timeout: Int64 in [50_000_000, 600_000_000_000] {
      let configuration = OwnCaptures.configuration(timeout)
      let whole = Findings(ofOneRun: packets, configuration)
      for pieces in [1, 4] {
        let cuts = (1..<pieces).map { _ in random.number(0..<packets.count + 1) }
        let merged = try folder.findings(of: Self.parts(packets, at: cuts), configuration)
        #expect(merged == whole, "cut at \(cuts), time-out \(timeout)")
      }
    }
  }

  /// Four in a row have each kind of change.
  private static let changed = [
    "nginx-keepalive.pcap", "errors-aborts.pcap.gz", "http2.pcap.gz", "fragments.pcap", "quic.pcap.gz",
  ]

  /// Whatever happens to a capture: what its packets are changed to is a capture, too.
  @Test(arguments: changed)
  func isSoForMutants(_ name: String) throws {
    let trial = try OwnCaptures.trial(name)
    let folder = try PartialFolder()
    let first = try #require(Self.changed.firstIndex(of: name))
    for number in RandomCases.seeds(0..<Mutation.allCases.count + 2, from: first) {
      let packets = trial.mutant(number)
      var random = SeededRandom(seed: UInt64(number))
      let configuration = OwnCaptures.configuration([20_000_000, 500_000_000][number % 2])
      let cuts = (0..<2).map { _ in random.number(0..<packets.count + 1) }
      let merged = try folder.findings(of: Self.parts(packets, at: cuts), configuration)
      #expect(merged == Findings(ofOneRun: packets, configuration), "mutant \(number), cut at \(cuts)")
    }
  }

  /// Connections that are over before the capture ends need none of their packets.
  @Test func endedConnectionsAreCounted() throws {
    let trial = try OwnCaptures.trial("nginx-keepalive.pcap")
    let folder = try PartialFolder()
    let partial = try folder.partial(of: [trial.packets], OwnCaptures.configuration(50_000_000))
    #expect(partial.kept == 0)
  }

  private static let server = Endpoint(address: IPAddress(v4: 0xc000_0201), port: 80)

  /// A connection with one exchange, which is closed; 2 milliseconds between its packets.
  private static func exchange(port: UInt16, at start: Int64, sequence: UInt32 = 1000, host: String) -> [TestPacket] {
    let client = Endpoint(address: IPAddress(v4: 0xc000_020a), port: port)
    let request = Array("GET /a HTTP/1.1\r\n\(host)\r\n".utf8)
    let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
    let (next, end) = (sequence + 1, sequence + 1 + UInt32(request.count))
    let last = 501 + UInt32(response.count)
    let segments = [
      Segment(from: client, to: server, sequence: sequence, flags: .syn),
      Segment(from: server, to: client, sequence: 500, acknowledgment: next, flags: [.syn, .ack]),
      Segment(from: client, to: server, sequence: next, acknowledgment: 501, flags: .ack),
      Segment(from: client, to: server, sequence: next, acknowledgment: 501, flags: [.ack, .push], payload: request),
      Segment(from: server, to: client, sequence: 501, acknowledgment: end, flags: [.ack, .push], payload: response),
      Segment(from: client, to: server, sequence: end, acknowledgment: last, flags: [.ack, .fin]),
      Segment(from: server, to: client, sequence: last, acknowledgment: end + 1, flags: [.ack, .fin]),
      Segment(from: client, to: server, sequence: end + 1, acknowledgment: last + 1, flags: .ack),
    ]
    return segments.enumerated().map { index, segment in
      var segment = segment
      segment.time = start + Int64(index) * 2_000_000
      return segment.packet()
    }
  }

  private static let second: Int64 = 1_000_000_000

  /// Very many connections end with one packet: the records of it are more than a block has.
  @Test func manyConnectionsEndAtOnce() throws {
    var packets: [TestPacket] = []
    for port in 1...6000 as ClosedRange<UInt16> {
      packets += Self.exchange(port: port, at: Int64(port) * 20_000, host: "Host: h\(port).example.com\r\n")
    }
    packets.sort { $0.timestamp < $1.timestamp }
    packets += Self.exchange(port: 9000, at: 1000 * Self.second, host: "Host: late.example.com\r\n")
    let configuration = Configuration()
    let folder = try PartialFolder()
    let partial = try folder.partial(of: [packets], configuration)
    #expect(partial.kept == 8)
    let merged = try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration)
    #expect(merged == Findings(ofOneRun: packets, configuration))
    #expect(merged.messages.count == 12_002)
  }

  /// Endpoints that a connection of an earlier part still has, which was not closed: the new one's SYN tells that it is another one.
  @Test func endpointsAreUsedAgain() throws {
    let first = Array(Self.exchange(port: 7, at: 0, host: "Host: a.example.com\r\n").dropLast(3))
    let again = Self.exchange(port: 7, at: 100 * Self.second, sequence: 9_000_000, host: "Host: b.example.com\r\n")
    let rest = Self.exchange(port: 8, at: 200 * Self.second, host: "Host: c.example.com\r\n")
    let configuration = Configuration()
    let folder = try PartialFolder()
    let partial = try folder.partial(of: [first, again + rest], configuration)
    #expect(partial.kept == first.count + rest.count)
    let merged = try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration)
    #expect(merged == Findings(ofOneRun: first + again + rest, configuration))
    #expect(merged.anomalies.contains { $0.contains("tcpPortReused") })
  }

  /// A request that names no host has the name of its server's address, which another part may say: its packets are kept.
  @Test func namesMayBeElsewhere() throws {
    let named = Self.exchange(port: 7, at: 0, host: "Host: a.example.com\r\n")
    let nameless = Self.exchange(port: 8, at: Self.second, host: "")
    let rest = Self.exchange(port: 9, at: 200 * Self.second, host: "Host: c.example.com\r\n")
    let configuration = Configuration()
    let folder = try PartialFolder()
    let partial = try folder.partial(of: [named + nameless + rest], configuration)
    #expect(partial.kept == nameless.count + rest.count)
    let merged = try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration)
    #expect(merged == Findings(ofOneRun: named + nameless + rest, configuration))
  }

  /// A partial of which octets were changed says that it is damaged, or what it said before: nothing else, and no crash.
  @Test func damageIsFound() throws {
    let trial = try OwnCaptures.trial("nginx-keepalive.pcap")
    let folder = try PartialFolder()
    let configuration = OwnCaptures.configuration(50_000_000)
    let partial = try folder.partial(of: Self.parts(trial.packets, at: [90]), configuration)
    let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: partial.path)))
    let whole = try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration)
    var random = SeededRandom(seed: 23)
    var refused = 0
    let rounds = RandomCases.count(400)
    for round in 0..<rounds {
      var changed = octets
      if round.isMultiple(of: 2) {
        changed[random.number(0..<changed.count)] ^= UInt8(1 << random.number(0..<8))
      } else {
        changed.removeLast(random.number(1..<changed.count))
      }
      let path = try folder.file(changed)
      do throws(PartialError) {
        #expect(try Findings(ofPartials: PartialSegment.all(in: path), configuration) == whole)
      } catch { refused += 1 }
    }
    #expect(refused >= rounds * 39 / 40)
  }
}
