import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The clock of packets' timestamps. Unsafe sites: system calls that take addresses.
///
/// It is read only to stop a capture, and to note that time passes without packets. These times go into the saved capture, so
/// that no analysis depends on the clock alone.
public enum SystemClock {
  /// Nanoseconds since the Unix epoch.
  public static var nanosecondsSinceEpoch: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Puts the calling thread to sleep.
  public static func sleep(milliseconds: Int) {
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    unsafe nanosleep(&time, nil)
  }
}

/// A clock that never goes back, and waits by it. It is called once a block, a pause or a wait, and never once a packet.
///
/// A test has a clock of its own, which it moves.
package protocol CaptureClock: Sendable {
  /// The time now.
  var now: ContinuousClock.Instant { get }
  /// Waits until a bell rings, or until a time. Returns whether it rang; even otherwise it may have rung at the end of the time.
  func wait(for bell: DispatchSemaphore, until end: ContinuousClock.Instant) -> Bool
  /// Waits for that time. A signal may end it early.
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
  /// The duration for Dispatch, in nanoseconds.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    // At most a day: no wait is longer, and it is far below an overflow.
    return .nanoseconds(Int(min(seconds, 86_400)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
