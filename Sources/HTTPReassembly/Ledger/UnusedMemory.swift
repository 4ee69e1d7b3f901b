#if canImport(Glibc)
  internal import CMalloc
#endif

/// Memory that the program freed and the process still holds.
package enum UnusedMemory {
  /// Gives the memory back to the system. Without it, a run would take memory twice: many small freed pieces are useless to a few large
  /// requests.
  ///
  /// It takes some milliseconds if there is much of it. Allocators of other systems than glibc do it by themselves.
  package static func giveBack() {
    #if canImport(Glibc)
      malloc_trim(0)
    #endif
  }
}
