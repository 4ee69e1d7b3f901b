#if os(Linux)
  import CConfinement
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The number of processors that this process may use. Unsafe site: the system fills the set.
public enum ProcessorCount {
  /// The number of processors, at least 1. It is the process's affinity, if the system has one: a run pinned to one processor gains nothing
  /// from more threads. Otherwise it is the machine's number.
  public static let available: Int = {
    #if os(Linux)
      // The room is for 8,192 processors, the most that the kernel knows.
      var set = [UInt8](repeating: 0, count: 1024)
      let length = unsafe set.withUnsafeMutableBytes { unsafe processor_affinity($0.baseAddress, $0.count) }
      let count = set.prefix(max(0, length)).reduce(0) { $0 + $1.nonzeroBitCount }
      if count > 0 { return count }
    #endif
    return max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
  }()
}
