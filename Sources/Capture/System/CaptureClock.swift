import Dispatch

/// A clock that never goes back, and the waits by it. It is asked once a block, a pause or a wait, and never once a packet.
///
/// A test has a clock of its own, which goes on when the test says so.
package protocol CaptureClock: Sendable {
  /// The time now.
  var now: ContinuousClock.Instant { get }
  /// Waits until a bell rings, or until a time. Returns whether it rang; it may have rung, too, when the time was over.
  func wait(for bell: DispatchSemaphore, until end: ContinuousClock.Instant) -> Bool
  /// Waits for so long. A signal may end that early.
  func sleep(milliseconds: Int)
}

/// The system's clock.
package struct MonotonicClock: CaptureClock {
  package init() {}

  package var now: ContinuousClock.Instant { .now }

  package func wait(for bell: DispatchSemaphore, until end: ContinuousClock.Instant) -> Bool {
    bell.wait(timeout: .now() + now.duration(to: end).dispatchInterval) == .success
  }

  package func sleep(milliseconds: Int) { SystemClock.sleep(milliseconds: milliseconds) }
}

extension Duration {
  /// For Dispatch, in nanoseconds.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    // A day, beyond which nobody waits, and far below what overflows.
    return .nanoseconds(Int(min(seconds, 86_400)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
