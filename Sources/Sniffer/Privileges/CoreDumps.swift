#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Core dumps of this process, which would contain keys: those in use are in memory of libcrypto.
enum CoreDumps {
  /// Prevents them from now on. Unsafe, because it lends a value to a C function.
  static func prevent() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    #else
      _ = unsafe setrlimit(RLIMIT_CORE, &limit)
    #endif
  }
}
