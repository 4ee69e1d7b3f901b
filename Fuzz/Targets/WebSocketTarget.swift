import HTTPReassembly
import TestSupport

extension FuzzTarget {
  /// Octets in the tunnel of a WebSocket: however the stream is cut into segments, the frames are the same. With a lost segment no figure
  /// is more than was sent, and nothing is exact.
  ///
  /// Input: whose octets they are (bit 0) and which extensions there are (bits 1 and 2), the lost segment (1), cuts (6), octets.
  package static let webSocket = FuzzTarget("websocket", longestInput: 512) { input in
    var input = InputOctets(input)
    let choice = input.next()
    let lost = Int(input.next() % 5)
    let cutChoices = input.take(6)
    let octets = input.rest()
    var choices = InputOctets(cutChoices)
    let cuts = Set((0..<3).map { _ in choices.next16() % (octets.count + 1) }).union([0, octets.count]).sorted()
    let whole = webSocketAnalysis(choice, octets, [0, octets.count], lost: nil)
    if let fault = whole.violations.first { return "whole: \(fault)" }
    let cut = webSocketAnalysis(choice, octets, cuts, lost: nil)
    if let fault = cut.violations.first { return "cut: \(fault)" }
    let (frames, others) = (webSocketFrames(whole, choice), webSocketFrames(cut, choice))
    // Octets of another protocol are looked at in pieces.
    guard let frames, let others, frames.frames > 0, others.frames > 0 else { return nil }
    if frames.withoutTimes != others.withoutTimes { return "cut, it is\n\(others)\nbut whole, it is\n\(frames)" }
    let gap = webSocketAnalysis(choice, octets, cuts, lost: lost)
    if let fault = gap.violations.first { return "with a gap: \(fault)" }
    guard let rest = webSocketFrames(gap, choice), gap.messages.contains(where: { $0.missing > 0 }) else { return nil }
    return rest.exactness == .exact ? "exact in spite of a gap: \(rest)" : nil
  }

  private static func webSocketAnalysis(_ choice: UInt8, _ octets: [UInt8], _ cuts: [Int], lost: Int?) -> Analysis {
    let names = ["", "permessage-deflate", "x-other", "x-other, permessage-deflate; server_no_context_takeover"]
    let name = names[Int(choice >> 1 & 3)]
    let upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\n" + (name.isEmpty ? "" : "Sec-WebSocket-Extensions: \(name)\r\n")
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /ws HTTP/1.1\r\nHost: a.example\r\n\(upgrade)\r\n")
    dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(upgrade)\r\n")
    let peer: Peer = choice & 1 == 0 ? .client : .server
    for (index, (from, to)) in zip(cuts, cuts.dropFirst()).enumerated() where to > from {
      dialogue.send(peer, Array(octets[from..<to]), isCaptured: index != lost)
    }
    dialogue.close()
    return Analysis(dialogue.packets(), configuration: .cheap)
  }

  private static func webSocketFrames(_ analysis: Analysis, _ choice: UInt8) -> WebSocketFacts? {
    (choice & 1 == 0 ? analysis.requests : analysis.responses).first?.frames
  }
}

extension WebSocketFacts {
  fileprivate var withoutTimes: WebSocketFacts {
    var facts = self
    (facts.firstTime, facts.lastTime, facts.density) = (0, 0, FrameDensity())
    return facts
  }
}
