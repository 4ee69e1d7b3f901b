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

/// How many processors this process may use. Unsafe site: the set that the system fills.
public enum ProcessorCount {
  /// Processors by the affinity of the process, where the system has one: a run that is pinned to one processor gains nothing from more
  /// threads. Those of the machine elsewhere. At least 1.
  public static let available: Int = {
    #if os(Linux)
      // Room for 8,192 processors, as many as the kernel knows at most.
      var set = [UInt8](repeating: 0, count: 1024)
      let length = unsafe set.withUnsafeMutableBytes { unsafe processor_affinity($0.baseAddress, $0.count) }
      let count = set.prefix(max(0, length)).reduce(0) { $0 + $1.nonzeroBitCount }
      if count > 0 { return count }
    #endif
    return max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
  }()
}
