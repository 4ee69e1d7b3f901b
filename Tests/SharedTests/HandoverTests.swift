import Foundation
import Testing

@testable import Shared

@Suite struct HandoverTests {
  /// Waits until a thread waits for things, which it will.
  private func waitForTaker(_ handover: Handover<Int>) {
    for _ in 0..<600_000 {
      if handover.countBeforeWaking != nil { return }
      Thread.sleep(forTimeInterval: 0.001)
    }
    Issue.record("nobody waits")
  }

  /// Whoever takes gets each thing once, in the order in which they were given, whenever it is woken.
  @Test(.timeLimit(.minutes(10)), arguments: 1...5)
  func thingsComeInTheirOrder(_ wakesAt: Int) {
    let handover = Handover<Int>(wakesAt: wakesAt)
    Thread.detachNewThread {
      for number in 0..<1000 {
        handover.give(number)
        if number % 100 == 0 { waitForTaker(handover) }
      }
      handover.end()
    }
    var taken: [Int] = []
    while let number = handover.take() { taken.append(number) }
    #expect(taken == Array(0..<1000))
    #expect(handover.take() == nil)
  }

  /// As many as both wait for together, less one, keep one of the two threads awake.
  @Test(.timeLimit(.minutes(10)), arguments: [(1, 1, 1), (4, 2, 2), (3, 2, 2), (4, 4, 1)])
  func whatGoesBackAndForthNeverStops(_ count: Int, _ fullWakes: Int, _ freeWakes: Int) {
    let free = Handover((0..<count).map { _ in [Int]() }, wakesAt: freeWakes)
    let full = Handover<[Int]>(wakesAt: fullWakes)
    Thread.detachNewThread {
      for number in 0..<5000 {
        guard var numbers = free.take() else { break }
        numbers = [number, number]
        full.give(numbers)
      }
      full.end()
    }
    var sum = 0
    while let numbers = full.take() {
      sum += numbers[1]
      free.give(numbers)
    }
    #expect(sum == 5000 * 4999 / 2)
  }

  /// Fewer than it is woken for do not wake who waits, but so many do, and the end.
  @Test(.timeLimit(.minutes(10)), arguments: [2, 3])
  func whoWaitsIsWokenByEnoughOrByTheEnd(_ count: Int) {
    let handover = Handover<Int>(wakesAt: 3)
    let taken = Handover<Int>(wakesAt: 1)
    Thread.detachNewThread {
      while let number = handover.take() { taken.give(number) }
      taken.end()
    }
    waitForTaker(handover)
    for number in 1...2 {
      handover.give(number)
      #expect(handover.countBeforeWaking == number)
    }
    if count == 3 {
      handover.give(3)
      for number in 1...3 { #expect(taken.take() == number) }
    }
    handover.end()
    if count == 2 { for number in 1...2 { #expect(taken.take() == number) } }
    #expect(taken.take() == nil)
  }

  @Test func whatIsGivenAfterTheEndIsNotTaken() {
    let handover = Handover<Int>(wakesAt: 1)
    handover.give(1)
    handover.end()
    handover.give(2)
    #expect(handover.take() == 1 && handover.take() == nil)
  }

  @Test func whatIsThereWhenItIsClosedIsNotTaken() {
    let handover = Handover<Int>(wakesAt: 1)
    handover.give(1)
    handover.close()
    #expect(handover.take() == nil)
  }

  /// Nothing keeps a thing that has been taken: it can be changed without a copy.
  @Test func whoTakesIsAlone() {
    final class Thing: Sendable {}
    let handover = Handover<Thing>(wakesAt: 1)
    var thing: Thing? = Thing()
    if let given = thing.take() { handover.give(given) }
    var taken = handover.take()
    #expect(isKnownUniquelyReferenced(&taken))
  }
}
