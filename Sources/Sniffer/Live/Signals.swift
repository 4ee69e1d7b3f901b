import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that a live run answers to. They arrive on a queue of their own, and the run looks at them when it can.
final class Signals {
  /// What was asked for and not seen to yet.
  private final class Requests: Sendable {
    let stops = Atomic<Int>(0)
    let snapshots = Atomic<Int>(0)
    let reopens = Atomic<Int>(0)
  }

  private let requests = Requests()
  private var sources: [any DispatchSourceSignal] = []
  private let queue = DispatchQueue(label: "signals")

  /// Starts to listen. `onStop` is called for the first SIGINT or SIGTERM; a second SIGINT ends the process at once, after
  /// `onAbort`.
  init(onStop: @escaping @Sendable () -> Void, onAbort: @escaping @Sendable () -> Void) {
    let requests = requests
    for number in [SIGINT, SIGTERM] {
      listen(number) {
        let earlier = requests.stops.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        if earlier == 0 {
          onStop()
        } else if number == SIGINT {
          onAbort()
          _exit(128 + SIGINT)
        }
      }
    }
    listen(SIGUSR1) { requests.snapshots.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    listen(SIGHUP) { requests.reopens.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    // A reader that has gone away is an error of that write, not the end of the capture.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  private func listen(_ number: CInt, _ handler: @escaping @Sendable () -> Void) {
    // The default action would end the process before the source is told.
    _ = signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler(handler: handler)
    source.resume()
    sources.append(source)
  }

  /// Whether a snapshot was asked for since the last time (SIGUSR1).
  func takeSnapshotRequest() -> Bool { requests.snapshots.exchange(0, ordering: .acquiringAndReleasing) > 0 }
  /// Whether the files are to be reopened since the last time (SIGHUP).
  func takeReopenRequest() -> Bool { requests.reopens.exchange(0, ordering: .acquiringAndReleasing) > 0 }
}
