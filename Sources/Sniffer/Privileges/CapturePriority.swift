#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The priority of the threads that take packets out of the kernel's rings: above that of the analysis, and of servers
/// and clients on the same machine, so that it is disk or memory that limits what is captured, and not who gets a processor.
///
/// A nice value and no real-time priority: a flood of packets must not take the machine from everybody else. On Linux each
/// thread has its own, which it passes on to the threads that it starts. Elsewhere it is the process's, and stays as it is.
enum CapturePriority {
  /// How much lower the nice value is, which goes from -20 (first) to 19 (last).
  private static let steps: Int32 = 10
  /// `PRIO_PROCESS`, whose type differs from one C library to the other; with 0 it is the calling thread.
  private static let process: Int32 = 0

  /// Raises the calling thread's priority, and returns its nice value from before; nil where that is not permitted. It takes
  /// root, `CAP_SYS_NICE` or a limit that allows it (`LimitNICE=` of systemd), so call it before privileges are given up.
  static func raise() -> Int32? {
    #if os(Linux)
      let before = getpriority(process, 0)
      return setpriority(process, 0, max(before - steps, -20)) == 0 ? before : nil
    #else
      return nil
    #endif
  }

  /// Takes back what was raised, for the calling thread and those that it starts from now on. The value comes from `raise`: a
  /// confined process may not ask for it.
  static func lower(to before: Int32?) {
    #if os(Linux)
      if let before { _ = setpriority(process, 0, before) }
    #endif
  }
}
