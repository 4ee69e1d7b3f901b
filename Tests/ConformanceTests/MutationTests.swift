import Capture
import ContentCodings
import Foundation
import HTTPReassembly
import TestSupport
import Testing

/// Every capture of this repository, damaged in every way: the ledger balances after each packet, and nothing crashes.
///
/// `SNIFFER_MUTANTS` multiplies the number of mutants.
@Suite struct MutationTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../captures").standardized.path

  private static let multiplier =
    ProcessInfo.processInfo.environment["SNIFFER_MUTANTS"].flatMap { Int($0) } ?? 1

  private static let captures: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { name in
      [".pcap", ".pcapng", ".pcap.gz", ".pcapng.gz", ".pcap.zst"].contains { name.hasSuffix($0) }
    }.sorted()

  /// Mutants of each capture, before they are multiplied.
  private static let mutantsPerCapture = 8

  /// Packets from one place of a capture that a mutant takes at most, so that the large captures do not take minutes.
  private static let packetLimit = 1500

  private func packets(_ name: String) throws -> [TestPacket] {
    var reader = try CaptureReader(path: "\(Self.folder)/\(name)")
    var packets: [TestPacket] = []
    while try reader.advance() {
      reader.withPacket { packet, octets in
        var copy: [UInt8] = []
        octets.append(0..<octets.byteCount, to: &copy)
        packets.append(
          TestPacket(
            timestamp: packet.timestamp, octets: copy, originalLength: packet.originalLength,
            linkType: packet.linkType, frameCheckSequenceLength: packet.frameCheckSequenceLength))
      }
    }
    return packets
  }

  @Test func thereAreEnoughCaptures() { #expect(Self.captures.count * Self.mutantsPerCapture >= 300) }

  @Test(arguments: captures)
  func everyMutantBalances(_ name: String) throws {
    let packets = try packets(name)
    for number in 0..<Self.mutantsPerCapture * Self.multiplier {
      var random = SeededRandom(seed: UInt64(number) &* 0x1_0001 &+ UInt64(packets.count))
      let start = random.number(0..<max(packets.count - Self.packetLimit, 0) + 1)
      var mutant = Array(packets[start..<min(start + Self.packetLimit, packets.count)])
      // Each kind alone, then all of them together.
      let kind = number % (Mutation.allCases.count + 1)
      let mutations = kind < Mutation.allCases.count ? [Mutation.allCases[kind]] : Mutation.allCases
      for mutation in mutations { mutation.apply(to: &mutant, &random) }
      let analysis = Analysis(mutant, decoders: SystemContentDecoders())
      // TransportBalanceTests has small reproductions.
      #expect(analysis.violations == [], "\(name), mutant \(number): \(mutations)")
    }
  }

  @Test(arguments: captures)
  func copiesOfPacketsChangeNoMessage(_ name: String) throws {
    let packets = try packets(name).prefix(4 * Self.packetLimit)
    let expected = messages(Array(packets))
    for seed in 0..<2 {
      var random = SeededRandom(seed: UInt64(seed))
      var mutant: [TestPacket] = []
      for packet in packets {
        mutant.append(packet)
        if random.chance(0.1) { mutant.append(packet) }
      }
      #expect(messages(mutant).difference(from: expected).isEmpty, "\(name), seed \(seed)")
    }
  }

  @Test(arguments: captures)
  func swappedNeighboursChangeNoMessage(_ name: String) throws {
    let packets = try packets(name).prefix(4 * Self.packetLimit)
    let expected = messages(Array(packets))
    for seed in 0..<2 {
      var random = SeededRandom(seed: UInt64(seed))
      var mutant = Array(packets)
      var index = 0
      while index + 1 < mutant.count {
        if random.chance(0.1) {
          mutant.swapAt(index, index + 1)
          // The times stay where they are.
          let time = mutant[index].timestamp
          mutant[index].timestamp = mutant[index + 1].timestamp
          mutant[index + 1].timestamp = time
          index += 1
        }
        index += 1
      }
      #expect(messages(mutant).difference(from: expected).isEmpty, "\(name), seed \(seed)")
    }
  }

  /// What must not depend on copies and order: each message's octets and names.
  private func messages(_ packets: [TestPacket]) -> [String] {
    let analysis = Analysis(packets, decoders: SystemContentDecoders())
    #expect(analysis.violations == [])
    return analysis.messages.map { message in
      let octets = message.octets
      return "\(message.client) \(message.kind.name) \(message.method) \(message.host) \(message.path)"
        + " \(message.status) \(octets.startLine)+\(octets.header)+\(octets.body)+\(octets.framing)+\(octets.trailer)"
        + " \(message.decodedBody ?? -1) \(message.exactness.name)"
    }.sorted()
  }
}

/// A way to damage a capture.
private enum Mutation: CaseIterable {
  case drop
  case duplicate
  case reorder
  case truncate
  case corrupt
  case retime

  func apply(to packets: inout [TestPacket], _ random: inout SeededRandom) {
    switch self {
    case .drop: packets.removeAll { _ in random.chance(0.1) }
    case .duplicate:
      for packet in packets where random.chance(0.1) { packets.insert(packet, at: random.number(0..<packets.count)) }
    case .reorder:
      for index in packets.indices where random.chance(0.2) {
        packets.swapAt(index, min(index + random.number(0..<20), packets.count - 1))
      }
    case .truncate:
      for index in packets.indices where random.chance(0.2) {
        packets[index].octets.removeLast(random.number(0..<packets[index].octets.count + 1))
      }
    case .corrupt:
      for index in packets.indices where random.chance(0.2) && !packets[index].octets.isEmpty {
        for _ in 0..<random.number(1..<4) {
          // Headers are hit as often as payload is.
          let limit = random.chance(0.5) ? min(packets[index].octets.count, 80) : packets[index].octets.count
          packets[index].octets[random.number(0..<limit)] = UInt8.random(in: .min ... .max, using: &random)
        }
      }
    case .retime:
      for index in packets.indices where random.chance(0.1) {
        packets[index].timestamp =
          random.chance(0.1)
          ? Int64.random(in: .min ... .max, using: &random)
          : packets[index].timestamp &+ Int64.random(in: -2_000_000_000...100_000_000_000, using: &random)
      }
    }
  }
}
