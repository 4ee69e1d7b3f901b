import TestSupport
import Testing

@testable import Capture

/// Two that read blocks, and one of them takes them, in every order that chance comes to.
@Suite struct BlockOrderTests {
  /// What one of the two is at.
  private enum Activity {
    case idle
    case reading(ReadAhead.Block)
    case waiting
  }

  @Test(arguments: 0..<300)
  func blocksAreTakenInTheirOrder(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let blocks = Int.random(in: 0...12, using: &random)
    let isFaulty = Bool.random(using: &random)
    let isShared = Bool.random(using: &random)
    // The source is read a little beyond its end when two read it, and may have grown by then.
    func read(_ block: ReadAhead.Block) -> (isLast: Bool, fault: CaptureError?) {
      block.count = block.number < blocks ? 9 : block.number == blocks + 1 ? 3 : 0
      let isLast = block.number >= blocks
      return (isLast, isLast && isFaulty ? CaptureError(file: "x", problem: .readFailed(errno: 5)) : nil)
    }

    var order = BlockOrder((0..<4).map { _ in ReadAhead.Block() })
    var thread = Activity.idle
    var taker = Activity.idle
    var held: ReadAhead.Block?
    var taken: [Int] = []
    var isThreadOver = false
    for _ in 0..<2_000 {
      if Bool.random(using: &random) {
        switch thread {
        case .idle:
          if let block = order.claimOrWait() {
            thread = .reading(block)
          } else if order.isClaimed {
            isThreadOver = true
          } else {
            thread = .waiting
          }
        case .reading(let block):
          let (isLast, fault) = read(block)
          if order.add(block, isLast: isLast, fault: fault) { taker = .idle }
          thread = .idle
        case .waiting: break
        }
      } else {
        switch taker {
        case .idle:
          if let block = order.take() {
            taken.append(block.number)
            #expect(block.count == 9)
            if let held, order.recycle(held) { thread = .idle }
            held = block
          } else if order.isTaken {
            break
          } else if isShared, let block = order.claim() {
            taker = .reading(block)
          } else {
            order.waitForNext()
            taker = .waiting
          }
        case .reading(let block):
          let (isLast, fault) = read(block)
          let wakes = order.add(block, isLast: isLast, fault: fault)
          #expect(!wakes)
          taker = .idle
        case .waiting: break
        }
      }
      if case .waiting = thread, case .waiting = taker { Issue.record("both wait") }
    }
    #expect(taken == Array(0..<blocks))
    #expect(order.isTaken && isThreadOver)
    #expect((order.fault != nil) == isFaulty)
  }

  /// Who gives up wakes the thread that waits for room.
  @Test func closingWakes() {
    var order = BlockOrder([ReadAhead.Block()])
    let claimed = [order.claimOrWait() != nil, order.claimOrWait() != nil]
    #expect(claimed == [true, false])
    let wakes = [order.close(), order.close()]
    #expect(wakes == [true, false])
    #expect(order.isClaimed)
  }
}
