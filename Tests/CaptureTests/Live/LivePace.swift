import Dispatch
import Shared

@testable import Capture

/// Which of the sources and their reader is ahead, so that it depends on no speed: each can wait until the other has caught up.
final class LivePace: Sendable {
  let clock = DrivenClock()
  private let total: Int
  private let state = Locked(State())
  private let bell = DispatchSemaphore(value: 0)

  private struct State {
    /// Rounds that have ended, of all sources.
    var rounds = 0
    /// At how many of them the reader goes on; nil while it does not wait for them.
    var awaited: Int?
  }

  /// Of sources that have so many rounds in all.
  init(rounds total: Int) { self.total = total }

  /// A source says that a round is over.
  func endRound() {
    let isAwaited = state.withLock { state in
      state.rounds += 1
      guard let awaited = state.awaited, awaited <= state.rounds else { return false }
      state.awaited = nil
      return true
    }
    if isAwaited { bell.signal() }
  }

  /// A source waits until the reader has nothing, or waits for rounds.
  func waitForReader() { clock.waitForWait() }

  /// The reader falls behind by so many rounds, or by all that there are.
  func waitForRounds(_ count: Int) {
    let waits = state.withLock { state in
      let target = min(state.rounds + count, total)
      guard target > state.rounds else { return false }
      state.awaited = target
      return true
    }
    // By the clock, so that a source sees it. Nobody advances that.
    if waits { _ = clock.wait(for: bell, until: clock.start + .seconds(1)) }
  }
}
