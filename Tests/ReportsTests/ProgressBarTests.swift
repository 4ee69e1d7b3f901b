import Shared
import Testing

@testable import Reports

/// A clock that goes when it is told to.
private final class ManualClock: Clock {
  let time = Locked(ContinuousClock().now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(_ duration: Duration) { time.withLock { $0 += duration } }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}

@Suite struct ProgressBarTests {
  private let terminal = Terminal(isTerminal: true, width: 80, takesEscapeSequences: true)

  @Test func itIsDrawnTenTimesASecondAndCleared() {
    let clock = ManualClock()
    var drawn: [String] = []
    var bar = ProgressBar(clock: clock, terminal: terminal) { drawn.append($0) }
    bar.update(bytes: 0, of: 4_000_000)
    #expect(drawn.isEmpty)
    for step in 1...1000 {
      clock.advance(.milliseconds(1))
      bar.update(bytes: step * 1000, of: 4_000_000)
    }
    #expect(drawn.count == 10)
    #expect(
      drawn.last == "\r[########-------------------------]   25%  1.0 MB of 4.0 MB  1.0 MB/s  3 s left\u{1b}[K")
    bar.clear()
    bar.clear()
    #expect(drawn.count == 11)
    #expect(drawn.last == "\r\u{1b}[K")
  }

  @Test(arguments: [
    Terminal(isTerminal: false), Terminal(isTerminal: true, width: 80, takesEscapeSequences: false),
  ])
  func nothingIsDrawnElsewhere(_ terminal: Terminal) {
    let clock = ManualClock()
    var drawn: [String] = []
    var bar = ProgressBar(clock: clock, terminal: terminal) { drawn.append($0) }
    clock.advance(.seconds(1))
    bar.update(bytes: 1, of: 2)
    bar.clear()
    #expect(drawn.isEmpty)
  }

  @Test(arguments: [0, 1, 5, 10, 20, 40, 60, 80, 200])
  func itFits(width: Int) {
    for (bytes, total) in [(0, nil), (0, 0), (5, 3), (0, 10), (.max, .max), (1 << 40, nil)] as [(Int, Int?)] {
      for elapsed in [Duration.zero, .milliseconds(1), .seconds(1), .seconds(10_000_000)] {
        let line = ProgressLine(bytes: bytes, total: total, elapsed: elapsed).text(width: width)
        #expect(line.count <= width)
      }
    }
  }

  @Test func lengths() {
    let cases: [(Double, String)] = [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9_960, "10 kB"), (123_456, "123 kB"), (999_600, "1.0 MB"),
      (1.2e9, "1.2 GB"), (1e17, "100 PB"), (1e18, "many PB"),
    ]
    for (bytes, text) in cases { #expect(ByteCount.text(bytes) == text) }
  }
}
