#if canImport(Glibc)
  internal import CMalloc
#endif

/// Memory that was freed and is still the process's.
enum UnusedMemory {
  /// Gives it back to the system. What many small things took is of no use to a few large ones, so that without it a run would take both.
  ///
  /// That takes some milliseconds where there is much of it. Allocators of other systems than glibc do it by themselves.
  static func giveBack() {
    #if canImport(Glibc)
      malloc_trim(0)
    #endif
  }
}
