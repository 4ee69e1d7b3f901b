import Capture
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that ask for the end of reading: SIGINT and SIGTERM.
///
/// Handled where they arrive, by nothing but atomic operations, and not by a queue of events: that needs descriptors, and ends
/// the process where there are none left; and on a busy machine it can be late, and take two interrupts for one.
enum StopSignals {
  /// Ends the reading, once one of them came.
  static let stop = ReadingStop()
  private static let first = Atomic<CInt>(0)
  /// Unsafe, because it is shared with the handlers: it is written once, before there are any.
  nonisolated(unsafe) private static var onAbort: (@Sendable () -> Void)?

  /// The signal that came first; nil if none has come.
  static var received: CInt? {
    let number = first.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Starts to listen, once in a process. A second SIGINT ends the process at once.
  ///
  /// - Parameters:
  ///   - hasOtherReports: Whether more is written than to standard output: then a write to a pipe that nobody reads fails,
  ///     and ends only that; otherwise it ends the process quietly, as `head` expects it.
  ///   - onAbort: Called before the process is ended at once; may do only what a signal handler may.
  static func listen(hasOtherReports: Bool, onAbort: (@Sendable () -> Void)? = nil) {
    // Made now: a handler must not be the first to ask for them.
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
