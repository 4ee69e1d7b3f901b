import Capture
import ContentCodings
import HTTPReassembly

/// Mutants of one capture, each made from a number: the same number, the same mutant.
package struct MutationTrial: Sendable {
  /// Packets from one place of a capture that a mutant takes at most, so that the large captures do not take minutes.
  package static let packetLimit = 1500

  /// The capture's packets.
  package let packets: [TestPacket]

  /// Reads the packets of a capture, up to where it is damaged.
  package init(path: String) throws(CaptureError) {
    var packets: [TestPacket] = []
    var reader = try CaptureReader(path: path)
    do throws(CaptureError) {
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
    } catch {
      // What came before the damage is a capture, too.
    }
    self.packets = packets
  }

  /// Which changes a mutant gets: each alone in turn, then all together, and last all that lose nothing.
  package static func mutations(_ number: Int) -> [Mutation] {
    let kind = number % (Mutation.allCases.count + 2)
    if kind < Mutation.allCases.count { return [Mutation.allCases[kind]] }
    return kind == Mutation.allCases.count ? Mutation.allCases : Mutation.lossless
  }

  /// What came of one mutant.
  package struct Outcome: Sendable {
    /// What it broke, in words.
    package var faults: [String]
    /// Messages that had to be the same as the original's, and were compared.
    package var compared = 0
  }

  /// The packets of a mutant.
  package func mutant(_ number: Int) -> [TestPacket] { mutant(of: number).mutant }

  private func mutant(of number: Int) -> (original: [TestPacket], mutant: [TestPacket]) {
    var random = SeededRandom(seed: UInt64(number) &* 0x1_0001 &+ UInt64(packets.count))
    let start = random.number(0..<max(packets.count - Self.packetLimit, 0) + 1)
    let original = Array(packets[start..<min(start + Self.packetLimit, packets.count)])
    var mutant = original
    for mutation in Self.mutations(number) { mutation.apply(to: &mutant, &random) }
    return (original, mutant)
  }

  /// Makes and analyses a mutant.
  package func outcome(_ number: Int) -> Outcome {
    let (original, mutant) = self.mutant(of: number)
    let mutations = Self.mutations(number)
    // No capture moves a packet by as many places as some mutants do: a hole waits for all of them.
    var configuration = Configuration()
    configuration.acknowledgedHolePacketLimit = .max
    let analysis = Analysis(mutant, configuration: configuration, decoders: SystemContentDecoders())
    guard analysis.violations.isEmpty, mutations.allSatisfy(\.losesNothing) else {
      return Outcome(faults: analysis.violations)
    }
    let whole = Analysis(original, configuration: configuration, decoders: SystemContentDecoders())
    return difference(analysis, whole, mutations)
  }

  /// Where a mutant's messages are not those of the original. Only connections that the original shows whole are compared:
  /// of others, order and cuts do tell something, such as which octet came first, or where to go on after a hole.
  ///
  /// Times, `ip_bytes` and `retransmitted` may differ, for the packets do; so may the numbers, which follow the order of
  /// capture. A copy that differs is flagged as conflicting, and its message is not exact.
  private func difference(_ mutant: Analysis, _ original: Analysis, _ mutations: [Mutation]) -> Outcome {
    let mayConflict = mutations.contains(.conflictLast)
    let whole = original.wholeConnections
    let expected = original.texts(of: whole, mayConflict)
    let faults = mutant.texts(of: whole, mayConflict).difference(from: expected).map { change in
      switch change {
      case .insert(_, let text, _): "only in the mutant: \(text)"
      case .remove(_, let text, _): "only in the original: \(text)"
      }
    }
    return Outcome(faults: faults, compared: expected.count)
  }
}

extension Analysis {
  /// The endpoints of the connections that were captured from SYN to end, with nothing odd in them, and of which every
  /// message is exact and every octet of payload in one.
  fileprivate var wholeConnections: Set<String> {
    let inexact = Set(messages.filter { $0.exactness != .exact }.map(\.message.connection))
    let octets = messages.reduce(into: [Int: Int]()) { $0[$1.message.connection, default: 0] += $1.octets.total }
    let isWhole = { (connection: Connection) in
      connection.flags.isEmpty && connection.end != .rst && connection.missing == 0
        && !inexact.contains(connection.number)
        && connection.payloadLength.client + connection.payloadLength.server
          == octets[connection.number, default: 0] + connection.retransmitted
    }
    let all = Dictionary(grouping: connections) { "\($0.client) \($0.server)" }
    return Set(all.filter { $0.value.allSatisfy(isWhole) }.keys)
  }

  /// The messages of the connections between `endpoints`, in words, sorted.
  fileprivate func texts(of endpoints: Set<String>, _ mayConflict: Bool) -> [String] {
    messages.filter { endpoints.contains("\($0.client) \($0.server)") }.map { message in
      let octets = message.octets
      var flags = message.flags
      let exactness = mayConflict && flags.contains(.conflicting) ? .exact : message.exactness
      if mayConflict { flags.remove(.conflicting) }
      return
        "\(message.client) \(message.server) \(message.kind.name) \(message.method) \(message.host)"
        + " \(message.path) \(message.status) \(octets.startLine)+\(octets.header)+\(octets.body)+\(octets.framing)+\(octets.trailer)"
        + " \(message.decodedBody ?? -1) \(message.queryLength ?? -1) \(exactness.name) missing"
        + " \(message.missing) flags \(flags.rawValue)"
    }.sorted()
  }
}
