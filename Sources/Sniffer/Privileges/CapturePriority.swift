#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The priority of the threads that take packets out of the kernel's rings. It is above the analysis, and above servers and
/// clients on the same machine. So disk or memory limits the capture, and not the processors.
///
/// It is a nice value and no real-time priority: a flood of packets must not take the machine from other programs. On Linux each
/// thread has its own, and passes it on to the threads that it starts. Elsewhere it belongs to the process, and is not changed.
enum CapturePriority {
  /// The decrease of the nice value, which goes from -20 (first) to 19 (last).
  private static let steps: Int32 = 10
  /// `PRIO_PROCESS`, whose type differs between C libraries; with 0 it is the calling thread.
  private static let process: Int32 = 0

  /// Raises the calling thread's priority, and returns its former nice value; nil if that is not permitted. It needs root,
  /// `CAP_SYS_NICE` or a limit that allows it (`LimitNICE=` of systemd). So call it before privileges are given up.
  static func raise() -> Int32? {
    #if os(Linux)
      let before = getpriority(process, 0)
      return setpriority(process, 0, max(before - steps, -20)) == 0 ? before : nil
    #else
      return nil
    #endif
  }

  /// Restores the former priority, for the calling thread and those that it starts from now on. `before` comes from `raise`,
  /// because a confined process may not ask for it.
  static func lower(to before: Int32?) {
    #if os(Linux)
      if let before { _ = setpriority(process, 0, before) }
    #endif
  }
}
