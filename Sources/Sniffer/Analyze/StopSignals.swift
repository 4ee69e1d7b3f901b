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
/// Handled where they arrive, by nothing but atomic stores, and not on a queue as in live runs: a dispatch source needs
/// descriptors, and ends the process where there are none left.
enum StopSignals {
  /// Ends the reading, once one of them came.
  static let stop = ReadingStop()
  private static let first = Atomic<CInt>(0)

  /// The signal that came first; nil if none has come.
  static var received: CInt? {
    let number = first.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Starts to listen. A second SIGINT ends the process at once.
  ///
  /// - Parameter hasOtherReports: Whether more is written than to standard output: then a write to a pipe that nobody
  ///   reads fails, and ends only that; otherwise it ends the process quietly, as `head` expects it.
  static func listen(hasOtherReports: Bool) {
    // Made now: a handler must not be the first to ask for them.
    guard !stop.isRequested, received == nil else { return }
    for number in [SIGINT, SIGTERM] {
      _ = signal(number) { number in
        if StopSignals.first.compareExchange(expected: 0, desired: number, ordering: .acquiringAndReleasing).exchanged {
          StopSignals.stop()
        } else if number == SIGINT {
          _exit(128 + SIGINT)
        }
      }
    }
    if hasOtherReports { _ = signal(SIGPIPE, SIG_IGN) }
  }
}
