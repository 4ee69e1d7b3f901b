import Capture
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that end the reading: SIGINT and SIGTERM.
///
/// The handlers use only atomic operations, and no queue of events. A queue needs descriptors, and ends the process when none are
/// left. On a busy machine it can be late, and take two interrupts for one.
enum StopSignals {
  /// Ends the reading after one of the signals.
  static let stop = ReadingStop()
  private static let first = Atomic<CInt>(0)
  /// Unsafe, because the handlers share it: it is written once, before they exist.
  nonisolated(unsafe) private static var onAbort: (@Sendable () -> Void)?

  /// The first signal; nil before one.
  static var received: CInt? {
    let number = first.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Installs the handlers, once in a process. A second SIGINT ends the process at once.
  ///
  /// - Parameters:
  ///   - hasOtherReports: Whether output goes to more than standard output. Then a write to a pipe without a reader fails, and
  ///     ends only that output. Otherwise it ends the process quietly, as `head` expects.
  ///   - onAbort: Called before the process is ended at once; may do only what a signal handler may.
  static func listen(hasOtherReports: Bool, onAbort: (@Sendable () -> Void)? = nil) {
    // They are created now, because a handler must not be the first to use them.
    guard !stop.isRequested, received == nil else { return }
    unsafe self.onAbort = onAbort
    for number in [SIGINT, SIGTERM] {
      _ = signal(number) { number in
        if StopSignals.first.compareExchange(expected: 0, desired: number, ordering: .acquiringAndReleasing).exchanged {
          StopSignals.stop()
        } else if number == SIGINT {
          unsafe StopSignals.onAbort?()
          _exit(128 + SIGINT)
        }
      }
    }
    if hasOtherReports { _ = signal(SIGPIPE, SIG_IGN) }
  }
}
