import TestSupport
import Testing

@testable import HTTPReassembly

/// The frames of a WebSocket over time.
@Suite struct FrameDensityTests {
  /// Whatever the times are, each frame is in the step of its time, as a count over all of them at the end says.
  @Test(arguments: RandomCases.seeds(0..<40))
  func stepsAreThoseOfAllTimes(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let longest = Int64(1) << Int64(random.number(1..<62))
    let times = (0..<200).map { _ in Int64.random(in: 0..<longest, using: &random) }
    var density = FrameDensity()
    for time in times { density.add(at: time) }
    var expected = [Int](repeating: 0, count: FrameDensity.steps)
    for time in times { expected[Int(time / density.width)] += 1 }
    while expected.last == 0 { expected.removeLast() }
    #expect(density.frames == expected)
    let numbers = density.numbers
    #expect(FrameDensity { numbers[$0] } == density)
  }

  @Test func hostileTimesFit() {
    var density = FrameDensity()
    for time in [Int64.min, .max, -1, 0] { density.add(at: time) }
    #expect(density.frames.reduce(0, +) == 4 && density.frames[0] == 3)
  }

  /// A step that has as many frames as it counts stays full, also when it becomes one with its neighbour.
  @Test func aFullStepStaysFull() {
    var density = FrameDensity()
    for _ in 0..<70_000 { density.add(at: 0) }
    density.add(at: 1 << 30)
    #expect(density.frames.first == 65_535)
  }
}
