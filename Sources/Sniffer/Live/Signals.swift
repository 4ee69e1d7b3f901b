import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that a live run answers to beside those that end it (`StopSignals`): handled where they arrive, too, and
/// looked at when the run can.
enum Signals {
  private static let snapshots = Atomic<Int>(0)
  private static let reopens = Atomic<Int>(0)

  /// Starts to listen, to those that end the run as well. A second SIGINT ends the process at once, after `onAbort`, which
  /// may do only what a signal handler may.
  static func listen(onAbort: @escaping @Sendable () -> Void) {
    // Made now: a handler must not be the first to ask for them.
    guard snapshots.load(ordering: .relaxed) == 0, reopens.load(ordering: .relaxed) == 0 else { return }
    // A reader that has gone away is an error of that write, not the end of the capture.
    StopSignals.listen(hasOtherReports: true, onAbort: onAbort)
    _ = signal(SIGUSR1) { _ in Signals.snapshots.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    _ = signal(SIGHUP) { _ in Signals.reopens.wrappingAdd(1, ordering: .acquiringAndReleasing) }
  }

  /// Whether a snapshot was asked for since the last time (SIGUSR1).
  static func takeSnapshotRequest() -> Bool { snapshots.exchange(0, ordering: .acquiringAndReleasing) > 0 }
  /// Whether the files are to be reopened since the last time (SIGHUP).
  static func takeReopenRequest() -> Bool { reopens.exchange(0, ordering: .acquiringAndReleasing) > 0 }
}
