#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Core dumps of this process, which would have keys in them: those that are in use lie in memory of libcrypto.
enum CoreDumps {
  /// Makes none from now on. Unsafe as a call of a C function that is lent a value is.
  static func prevent() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    #else
      _ = unsafe setrlimit(RLIMIT_CORE, &limit)
    #endif
  }
}
