import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that a live run answers to. They are handled where they arrive, by nothing but atomic operations, and the run
/// looks at them when it can: a queue of its own could be late on a busy machine, and take two interrupts for one.
enum Signals {
  private static let stops = Atomic<Int>(0)
  private static let snapshots = Atomic<Int>(0)
  private static let reopens = Atomic<Int>(0)
  /// Unsafe, because it is shared with handlers: it is written once, before there are any.
  nonisolated(unsafe) private static var onAbort: (@Sendable () -> Void)?

  /// Starts to listen, once in a process. A second SIGINT ends the process at once, after `onAbort`, which may do only what a
  /// signal handler may.
  static func listen(onAbort: @escaping @Sendable () -> Void) {
    // Made now: a handler must not be the first to ask for them.
    guard stops.load(ordering: .relaxed) == 0, snapshots.load(ordering: .relaxed) == 0,
      reopens.load(ordering: .relaxed) == 0
    else { return }
    unsafe self.onAbort = onAbort
    for number in [SIGINT, SIGTERM] {
      _ = signal(number) { number in
        let earlier = Signals.stops.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        guard earlier > 0, number == SIGINT else { return }
        unsafe Signals.onAbort?()
        _exit(128 + SIGINT)
      }
    }
    _ = signal(SIGUSR1) { _ in Signals.snapshots.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    _ = signal(SIGHUP) { _ in Signals.reopens.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    // A reader that has gone away is an error of that write, not the end of the capture.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Whether the end was asked for (SIGINT, SIGTERM).
  static var isStopRequested: Bool { stops.load(ordering: .acquiring) > 0 }
  /// Whether a snapshot was asked for since the last time (SIGUSR1).
  static func takeSnapshotRequest() -> Bool { snapshots.exchange(0, ordering: .acquiringAndReleasing) > 0 }
  /// Whether the files are to be reopened since the last time (SIGHUP).
  static func takeReopenRequest() -> Bool { reopens.exchange(0, ordering: .acquiringAndReleasing) > 0 }
}
