import Foundation
import Shared
import Testing

@testable import Capture

/// A clock that goes on only when a test says so. Waits by it end with that, or with their bell.
final class DrivenClock: CaptureClock, @unchecked Sendable {
  /// What it says until it is advanced.
  let start = ContinuousClock.now
  private let time: Locked<ContinuousClock.Instant>
  /// Guards the waits, and is told of each.
  private let condition = NSCondition()
  private var waits: [Wait] = []

  private final class Wait {
    let bell: DispatchSemaphore
    let end: ContinuousClock.Instant
    var isOver = false

    init(_ bell: DispatchSemaphore, until end: ContinuousClock.Instant) {
      self.bell = bell
      self.end = end
    }
  }

  init() { time = Locked(start) }

  var now: ContinuousClock.Instant { time.withLock { $0 } }

  func wait(for bell: DispatchSemaphore, until end: ContinuousClock.Instant) -> Bool {
    let wait = Wait(bell, until: end)
    condition.lock()
    guard end > now else {
      condition.unlock()
      return bell.wait(timeout: .now()) == .success
    }
    waits.append(wait)
    condition.broadcast()
    condition.unlock()
    bell.waitForEvent()
    return condition.withLock {
      waits.removeAll { $0 === wait }
      return !wait.isOver
    }
  }

  func sleep(milliseconds: Int) {
    _ = wait(for: DispatchSemaphore(value: 0), until: now + .milliseconds(milliseconds))
  }

  /// Lets time pass. `body` is called before anybody can see that a wait is over.
  func advance(by duration: Duration, _ body: () -> Void = {}) {
    condition.withLock {
      let now = time.withLock { time in
        time += duration
        return time
      }
      for wait in waits where wait.end <= now && !wait.isOver {
        wait.isOver = true
        wait.bell.signal()
      }
      body()
    }
  }

  /// Waits until a thread waits by this clock: until `end`, or, if that is nil, until any time.
  func waitForWait(until end: ContinuousClock.Instant? = nil) {
    let limit = Date(timeIntervalSinceNow: Event.patience)
    condition.withLock {
      while !waits.contains(where: { !$0.isOver && (end == nil || $0.end == end) }) {
        guard condition.wait(until: limit) else {
          Issue.record("nobody waits")
          return
        }
      }
    }
  }

  /// Calls `body` on another thread when a thread waits until `end`.
  func onWait(until end: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      self.waitForWait(until: end)
      body()
    }
  }
}

/// What a test waits for, which comes sooner or later.
enum Event {
  /// Seconds after which a test fails that waits for what does not come: far beyond what any machine takes.
  static let patience = 600.0
}

extension DispatchSemaphore {
  /// Waits for a signal.
  func waitForEvent() {
    if wait(timeout: .now() + Event.patience) == .timedOut { Issue.record("what was waited for has not come") }
  }
}
