import Foundation
import Shared
import Testing

@Suite struct HandoverTests {
  /// Whoever takes gets each thing once, in the order in which they were given, whenever it is woken.
  @Test(.timeLimit(.minutes(1)), arguments: 1...5)
  func thingsComeInTheirOrder(_ wakesAt: Int) {
    let handover = Handover<Int>(wakesAt: wakesAt)
    Thread.detachNewThread {
      for number in 0..<1000 {
        handover.give(number)
        if number % 100 == 0 { usleep(1000) }
      }
      handover.end()
    }
    var taken: [Int] = []
    while let number = handover.take() { taken.append(number) }
    #expect(taken == Array(0..<1000))
    #expect(handover.take() == nil)
  }

  /// As many as both wait for together, less one, keep one of the two threads awake.
  @Test(.timeLimit(.minutes(1)), arguments: [(1, 1, 1), (4, 2, 2), (3, 2, 2), (4, 4, 1)])
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

  /// Fewer than it is woken for do not wake who waits, but the end does.
  @Test(.timeLimit(.minutes(1)))
  func theEndWakes() {
    let handover = Handover<Int>(wakesAt: 3)
    let start = ContinuousClock.now
    Thread.detachNewThread {
      usleep(20_000)
      handover.give(1)
      handover.give(2)
      usleep(20_000)
      handover.end()
    }
    #expect(handover.take() == 1)
    #expect(ContinuousClock.now - start >= .milliseconds(40))
    #expect(handover.take() == 2 && handover.take() == nil)
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
