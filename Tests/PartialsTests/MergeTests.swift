import Foundation
import HTTPReassembly
import Partials
import TestSupport
import Testing

/// Partials of parts of a capture, put together, say what one run over the capture says.
@Suite struct MergeTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("captures")
  private static let captures: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.contains(".pcap") }.sorted()

  /// Time-outs in nanoseconds: with short ones most connections are over before their part ends.
  private static func configuration(_ timeout: Int64) -> Configuration {
    var configuration = Configuration()
    configuration.idleTimeout = timeout
    configuration.closedTimeout = min(timeout, configuration.closedTimeout)
    return configuration
  }

  private static func parts(_ packets: [TestPacket], at cuts: [Int]) -> [[TestPacket]] {
    let edges = [0] + cuts.sorted() + [packets.count]
    return zip(edges, edges.dropFirst()).map { Array(packets[$0..<$1]) }
  }

  @Test func thereAreCaptures() { #expect(Self.captures.count >= 30) }

  @Test(arguments: captures)
  func isTheReportOfOneRun(_ name: String) throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent(name).path)
    let packets = Array(trial.packets.prefix(1500))
    let folder = try PartialFolder()
    var random = SeededRandom(seed: UInt64(name.utf8.reduce(7) { $0 &* 31 &+ Int($1) } & 0xffff))
    for timeout: Int64 in [50_000_000, 600_000_000_000] {
      let configuration = Self.configuration(timeout)
      let whole = Findings(ofOneRun: packets, configuration)
      for pieces in [1, 4] {
        let cuts = (1..<pieces).map { _ in random.number(0..<packets.count + 1) }
        let partial = try folder.partial(of: Self.parts(packets, at: cuts), configuration)
        let merged = try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration)
        #expect(merged == whole, "cut at \(cuts), time-out \(timeout)")
      }
    }
  }

  /// Whatever happens to a capture: what its packets are changed to is a capture, too.
  @Test(arguments: ["nginx-keepalive.pcap", "errors-aborts.pcap.gz", "http2.pcap.gz", "fragments.pcap", "quic.pcap.gz"])
  func isSoForMutants(_ name: String) throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent(name).path)
    let folder = try PartialFolder()
    for number in 0..<Mutation.allCases.count + 2 {
      let packets = trial.mutant(number)
      var random = SeededRandom(seed: UInt64(number))
      let configuration = Self.configuration([20_000_000, 500_000_000][number % 2])
      let cuts = (0..<2).map { _ in random.number(0..<packets.count + 1) }
      let partial = try folder.partial(of: Self.parts(packets, at: cuts), configuration)
      let merged = try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration)
      #expect(merged == Findings(ofOneRun: packets, configuration), "mutant \(number), cut at \(cuts)")
    }
  }

  /// Connections that are over before the capture ends need none of their packets.
  @Test func endedConnectionsAreCounted() throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent("nginx-keepalive.pcap").path)
    let partial = try PartialFolder().partial(of: [trial.packets], Self.configuration(50_000_000))
    #expect(partial.kept == 0)
  }

  /// A partial of which octets were changed says that it is damaged, or what it said before: nothing else, and no crash.
  @Test func damageIsFound() throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent("nginx-keepalive.pcap").path)
    let folder = try PartialFolder()
    let configuration = Self.configuration(50_000_000)
    let partial = try folder.partial(of: Self.parts(trial.packets, at: [90]), configuration)
    let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: partial.path)))
    let whole = try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration)
    var random = SeededRandom(seed: 23)
    var refused = 0
    for round in 0..<400 {
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
    #expect(refused >= 390)
  }
}
