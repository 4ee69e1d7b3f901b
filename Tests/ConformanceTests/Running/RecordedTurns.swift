// What the two sides of a recorded connection sent, sent again: whole, cut, out of order, with losses.
import HTTPReassembly
import TestSupport
import Testing

typealias Turns = [(peer: Peer, octets: [UInt8])]

extension Dialogue {
  /// Sends each turn in segments of at most 40,000 octets; `cut` is a turn and the octets of it that have a segment of their own.
  init(_ turns: Turns, cut: (turn: Int, octets: Int)?) {
    self = .opened()
    for (number, turn) in turns.enumerated() {
      let middle = cut.flatMap { $0.turn == number ? $0.octets : nil } ?? 0
      send(turn.peer, inPieces: turn.octets[..<middle])
      send(turn.peer, inPieces: turn.octets[middle...])
    }
    close()
  }

  /// Sends each turn in segments of any length: a tenth of them twice, a tenth after the next one, and `loss` of them not captured.
  init(_ turns: Turns, loss: Double, random: inout SeededRandom) {
    self = .opened()
    for turn in turns {
      var start = 0
      while start < turn.octets.count {
        let end = min(start + Int.random(in: 1...1400, using: &random), turn.octets.count)
        send(turn.peer, Array(turn.octets[start..<end]), isCaptured: Double.random(in: 0..<1, using: &random) >= loss)
        if Int.random(in: 0..<10, using: &random) == 0 { repeatSegment(-1) }
        if segments.count > 5, Int.random(in: 0..<10, using: &random) == 0 {
          segments.swapAt(segments.count - 1, segments.count - 2)
        }
        start = end
      }
    }
    close()
  }

  // A segment has no more than 64 KiB.
  private mutating func send(_ peer: Peer, inPieces octets: ArraySlice<UInt8>) {
    for start in stride(from: octets.startIndex, to: octets.endIndex, by: 40_000) {
      send(peer, Array(octets[start..<min(start + 40_000, octets.endIndex)]))
    }
  }
}

extension Analysis {
  /// What the messages are and what TLS cost, to compare two analyses of the same octets.
  var secureText: String {
    messages.map {
      "\($0.kind) \($0.method) \($0.host) \($0.path) \($0.octets) \($0.message.tls) \($0.exactness) \($0.pairing)"
    }.joined(separator: "\n") + "\(ledger.tlsHandshake) \(ledger.tlsRecord)"
  }
}

/// Sends `turns` up to eight times with losses: everything adds up, and no row is exact that the whole dialogue does not have.
func expectKnownRows(_ turns: Turns, secrets: [UInt8], loss: Double, random: inout SeededRandom) {
  let whole = Analysis(Dialogue(turns, cut: nil).packets(), secrets: secrets)
  // A response whose request was lost has no path.
  let known = Set(whole.messages.flatMap { ["\($0.kind) \($0.path) \($0.octets)", "\($0.kind)  \($0.octets)"] })
  for _ in 0..<RandomCases.count(8) {
    let analysis = Analysis(Dialogue(turns, loss: loss, random: &random).packets(), secrets: secrets)
    #expect(analysis.violations == [])
    for message in analysis.messages where message.exactness == .exact {
      #expect(known.contains("\(message.kind) \(message.path) \(message.octets)"), "\(message.path)")
    }
  }
}
