import TestSupport
import Testing

@testable import HTTPReassembly

@Suite struct WaitingChargesTests {
  /// Charges come back by their ends, each once, and none before its end is reached.
  @Test func chargesComeByTheirEnds() {
    var random = SeededRandom(seed: 40)
    var waiting = WaitingCharges()
    var known: [Int] = []
    for round in 0..<2000 {
      let position = random.number(0..<10_000)
      waiting.insert(Charge(position: position, retransmitted: 0, overhead: 1))
      known.append(position + 1)
      guard round % 7 == 0 else { continue }
      let end = random.number(0..<10_000)
      var found: [Int] = []
      while let charge = waiting.removeFirst(upTo: end) { found.append(charge.end) }
      #expect(found == known.filter { $0 <= end }.sorted())
      known.removeAll { $0 <= end }
      #expect(waiting.count == known.count)
    }
    while waiting.removeFirst(upTo: .never) != nil {}
    #expect(waiting.count == 0 && waiting.memory == 0)
  }
}
