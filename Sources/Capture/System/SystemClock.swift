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
