import HTTPReassembly
import TestSupport

/// One connection whose two streams can be cut into segments anywhere, and what is read of it.
struct CutDialogue {
  let client: [UInt8]
  let server: [UInt8]

  /// Runs it with each stream cut at the places given, which include both ends; `order` swaps neighbours.
  func reading(client clientCuts: [Int], server serverCuts: [Int], order: UInt8 = 0) -> Reading {
    var dialogue = Dialogue.opened()
    for (from, to) in zip(clientCuts, clientCuts.dropFirst()) where to > from {
      dialogue.send(.client, Array(client[from..<to]))
    }
    let turn = dialogue.segments.count
    for (from, to) in zip(serverCuts, serverCuts.dropFirst()) where to > from {
      dialogue.send(.server, Array(server[from..<to]))
    }
    // Neighbours of the same side only, so that all is known of one turn before the other begins.
    var order = order
    for index in 3..<max(dialogue.segments.count - 1, 3) where index + 1 != turn {
      if order & 1 != 0 { dialogue.segments.swapAt(index, index + 1) }
      order >>= 1
    }
    dialogue.close(.server)
    var packets = dialogue.packets()
    for index in packets.indices { packets[index].timestamp = 1_700_000_000_000_000_000 + Int64(index) * 1000 }
    return Reading(Analysis(packets, configuration: .cheap))
  }

  /// The whole of each stream in one segment.
  var whole: Reading { reading(client: [0, client.count], server: [0, server.count]) }
}

/// What must not depend on cuts.
struct Reading {
  let analysis: Analysis
  /// The messages and the classes of octets, in words.
  let text: String
  /// Whether message framing was never lost. Where it was, a segment that begins with a start-line is where reading goes
  /// on, so cuts do matter then.
  let keepsFraming: Bool

  init(_ analysis: Analysis) {
    self.analysis = analysis
    let ledger = analysis.ledger
    keepsFraming = ledger[.stray] == 0 && ledger[.opaque] == 0 && ledger[.tunnel] == 0 && ledger[.tls] == 0
    text =
      (analysis.requests + analysis.responses).map { message in
        let octets = message.octets
        return "\(message.kind.name) \(message.method) \(message.host) \(message.path) \(message.status)"
          + " \(octets.startLine)+\(octets.header)+\(octets.body)+\(octets.framing)+\(octets.trailer)"
          + " \(message.flags.rawValue) \(message.exactness.name) \(message.decodedBody ?? -1)"
      }.joined(separator: "\n")
      + [OctetClass.startLine, .header, .body, .framing, .trailer].map { "\n\($0.name) \(ledger[$0])" }.joined()
  }
}
