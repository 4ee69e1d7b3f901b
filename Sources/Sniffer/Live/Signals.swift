import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals of a live run besides those that end it (`StopSignals`). Their handlers also use only atomic operations, and the
/// run checks the results in its own time.
enum Signals {
  private static let snapshots = Atomic<Int>(0)
  private static let reopens = Atomic<Int>(0)

  /// Installs the handlers, including those that end the run. A second SIGINT ends the process at once, after `onAbort`, which
  /// may do only what a signal handler may.
  static func listen(onAbort: @escaping @Sendable () -> Void) {
    // They are created now, because a handler must not be the first to use them.
    guard snapshots.load(ordering: .relaxed) == 0, reopens.load(ordering: .relaxed) == 0 else { return }
    // A reader that is gone is an error of that write, not the end of the capture.
    StopSignals.listen(hasOtherReports: true, onAbort: onAbort)
    _ = signal(SIGUSR1) { _ in Signals.snapshots.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    _ = signal(SIGHUP) { _ in Signals.reopens.wrappingAdd(1, ordering: .acquiringAndReleasing) }
  }

  /// Whether a snapshot was asked for since the last call (SIGUSR1).
  static func takeSnapshotRequest() -> Bool { snapshots.exchange(0, ordering: .acquiringAndReleasing) > 0 }
  /// Whether reopening the files was asked for since the last call (SIGHUP).
  static func takeReopenRequest() -> Bool { reopens.exchange(0, ordering: .acquiringAndReleasing) > 0 }
}
