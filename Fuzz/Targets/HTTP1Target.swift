import HTTPReassembly
import TestSupport

extension FuzzTarget {
  /// Two streams of anything: however they are cut into segments, and whichever of two neighbours is captured first, the
  /// messages are the same, as long as framing is not lost.
  ///
  /// Input: cuts of each stream, the order of neighbours, how long the client's stream is (2), the streams.
  package static let http1 = FuzzTarget("http1", longestInput: 1024) { input in
    var input = InputOctets(input)
    let cutChoices = input.take(12)
    let order = input.next()
    let clientLength = input.next16()
    let rest = input.rest()
    let client = Array(rest.prefix(clientLength % (rest.count + 1)))
    let server = Array(rest.dropFirst(client.count))
    var choices = InputOctets(cutChoices)
    let dialogue = CutDialogue(client: client, server: server)
    let whole = dialogue.whole
    if let fault = whole.analysis.violations.first { return "whole: \(fault)" }
    let clientCuts = cuts(client.count, &choices)
    let cut = dialogue.reading(client: clientCuts, server: cuts(server.count, &choices), order: order)
    if let fault = cut.analysis.violations.first { return "cut: \(fault)" }
    guard whole.keepsFraming, cut.text != whole.text else { return nil }
    return "cut, it is\n\(cut.text)\nbut whole, it is\n\(whole.text)"
  }

  private static func cuts(_ length: Int, _ choices: inout InputOctets) -> [Int] {
    Set((0..<3).map { _ in choices.next16() % (length + 1) }).union([0, length]).sorted()
  }
}
