import TestSupport
import Testing

@testable import HTTPReassembly

/// Dialogues with odd frames and known truth, whose packets are lost, late, cut or doubled: no row is exact and wrong (MEASURES §10).
@Suite struct OddDialogueTests {
  /// The rows of a mutilated dialogue.
  struct Outcome {
    var rows = 0
    var exact = 0
    /// Complete messages with every octet captured, and the number of them with an exact row.
    var possible = 0
    var known = 0
    var wrong: [String] = []
    var violations: [String] = []

    static func += (sum: inout Outcome, one: Outcome) {
      sum.rows += one.rows
      sum.exact += one.exact
      sum.possible += one.possible
      sum.known += one.known
      sum.wrong += one.wrong
      sum.violations += one.violations
    }
  }

  static func outcome(_ odd: OddDialogue, _ mutilation: Mutilation, seed: UInt64) -> Outcome {
    var random = SeededRandom(seed: seed &* 31 &+ 5)
    let client = odd.dialogue.client
    let segments = mutilation.apply(to: odd.dialogue.segments, &random)
    let analysis = Analysis(segments.map { $0.packet() })
    var outcome = Outcome()
    outcome.violations = analysis.violations.map { "\(seed) \(mutilation): \($0)" }
    var known: Set<Int> = []
    for row in analysis.messages {
      outcome.rows += 1
      let place = odd.sent.indices.first { !known.contains($0) && odd.sent[$0].isTold(by: row) }
      if row.exactness == .exact {
        outcome.exact += 1
        if let place {
          known.insert(place)
        } else {
          outcome.wrong.append("\(seed) \(mutilation): \(row.text)")
        }
      }
      if let fault = odd.fault(of: row) { outcome.wrong.append("\(seed) \(mutilation): \(fault): \(row.text)") }
    }
    let captured = Captured(segments, client: client, odd)
    for (place, message) in odd.sent.enumerated() where message.isComplete && captured.has(message, odd) {
      outcome.possible += 1
      if known.contains(place) {
        outcome.known += 1
      }
    }
    return outcome
  }

  @Test(arguments: RandomCases.seeds(0..<268).map { UInt64($0) })
  func noRowIsExactAndWrong(_ seed: UInt64) {
    let odd = OddDialogue(seed: seed)
    var sum = Outcome()
    for mutilation in Mutilation.usual {
      let outcome = Self.outcome(odd, mutilation, seed: seed)
      sum += outcome
    }
    #expect(sum.wrong.isEmpty, "\(sum.wrong.prefix(5))")
    #expect(sum.violations.isEmpty, "\(sum.violations.prefix(5))")
    #expect(sum.rows > 0)
  }
}

/// The captured octets of each peer's stream.
private struct Captured {
  private var octets: [Peer: [Bool]] = [:]

  init(_ segments: [Segment], client: Endpoint, _ odd: OddDialogue) {
    // The numbers of the handshake's SYN are `Dialogue`'s.
    for segment in segments where !segment.payload.isEmpty {
      let peer: Peer = segment.source == client ? .client : .server
      let first: UInt32 = peer == .client ? 1001 : 500_001
      let start = Int(segment.sequence &- first)
      let count = max(segment.payload.count - segment.uncaptured, 0)
      var known = octets[peer] ?? []
      if known.count < start + count { known += [Bool](repeating: false, count: start + count - known.count) }
      for index in start..<start + count { known[index] = true }
      octets[peer] = known
    }
  }

  func has(_ message: OddDialogue.Sent, _ odd: OddDialogue) -> Bool {
    let peer: Peer = message.kind == .request && message.stream % 2 == 1 ? .client : .server
    let known = octets[peer] ?? []
    return message.ranges.allSatisfy { $0.upperBound <= known.count && known[$0].allSatisfy(\.self) }
  }
}

extension OddDialogue.Sent {
  /// Whether an exact row tells the truth about it.
  func isTold(by row: SeenMessage) -> Bool {
    guard isComplete, row.stream == UInt64(stream), row.kind == kind, row.octets == octets,
      row.status == status || kind == .request
    else {
      return false
    }
    // Its request may be unknown. The row then says that.
    if kind != .request, row.pairing == .unknown { return row.host.isEmpty && row.path.isEmpty }
    return row.method == method && row.host == host && row.path == path
  }

  var text: String {
    "\(kind) \(stream) \(method) \(host)\(path) \(status) \(octets.startLine)+\(octets.header)+\(octets.body)+\(octets.framing)+\(octets.trailer) \(isComplete)"
  }
}

extension OddDialogue {
  /// A fault of a row of any exactness; nil without one.
  func fault(of row: SeenMessage) -> String? {
    let sent = sent.filter { UInt64($0.stream) == row.stream }
    guard let any = sent.first else { return "a stream that was not" }
    if !row.host.isEmpty, row.host != any.host { return "host \(any.host)" }
    if !row.path.isEmpty, row.path != any.path { return "path \(any.path)" }
    if row.kind != .request, row.status > 0, !sent.contains(where: { $0.status == row.status }) { return "status" }
    return nil
  }
}

extension SeenMessage {
  fileprivate var text: String {
    let octets = message.octets
    let names = MessageFlags.names.indices.filter { message.flags.rawValue >> UInt64($0) & 1 == 1 }
    return
      "\(message.kind) \(message.stream ?? 0) \(method) \(host)\(path) \(message.status) \(octets.startLine)+\(octets.header)"
      + "+\(octets.body)+\(octets.framing)+\(octets.trailer) \(message.exactness) \(message.pairing) "
      + names.map { MessageFlags.names[$0] }.joined(separator: " ")
  }
}
