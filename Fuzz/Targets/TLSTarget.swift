import HTTPReassembly
import TestSupport

extension FuzzTarget {
  /// Key logs: however a log is cut, it gives the same secrets, in bounded memory.
  ///
  /// Input: a cut (2), the log.
  package static let keyLog = FuzzTarget("keylog", longestInput: 4096) { input in
    var input = InputOctets(input)
    let cut = input.next16()
    let log = input.rest()
    var whole = Pipeline(sink: CollectingSink())
    whole.learn(log)
    var pieces = Pipeline(sink: CollectingSink())
    let end = cut % (log.count + 1)
    Array(log[..<end]).withOctets { pieces.learn(secrets: $0) }
    pieces.learn(Array(log[end...]))
    guard whole.secretCount == pieces.secretCount else {
      return "cut after \(end), there are \(pieces.secretCount) secrets, not \(whole.secretCount)"
    }
    return whole.secretCount * 70 > log.count ? "\(whole.secretCount) secrets of \(log.count) octets" : nil
  }

  /// A TLS connection with secrets, of which anything may be changed: everything adds up, whatever was opened.
  ///
  /// Input: octets of the log (2), of a segment (1) and of the client's first turn (2), then turns, each with its length before it (2):
  /// the client's, the server's, and so on.
  package static let tls = FuzzTarget("tls", longestInput: 8192) { input in
    var input = InputOctets(input)
    let secretsLength = input.next16() % 2048
    let secrets = input.take(secretsLength)
    let length = Int(input.next()) * 16 + 1
    var dialogue = Dialogue.opened()
    var peer = Peer.client
    for _ in 0..<12 {
      let turnLength = input.next16() % 6000
      let turn = input.take(turnLength)
      for start in stride(from: 0, to: turn.count, by: length) {
        dialogue.send(peer, Array(turn[start..<min(start + length, turn.count)]))
        // Some segments come twice, and some never.
        if dialogue.segments.count % 13 == 0 { dialogue.repeatSegment(-1) }
        if dialogue.segments.count % 29 == 0, length % 7 == 0 { dialogue.segments.removeLast() }
      }
      peer = peer.other
    }
    dialogue.close()
    return Analysis(dialogue.packets(), configuration: .cheap, secrets: secrets).violations.first
  }
}
