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

  /// Makes the allocator give large pieces back as soon as they are freed. The program calls it once, before any thread starts.
  ///
  /// By itself, glibc learns from each large freed piece to keep pieces of that size, up to 32 MiB. Arrays that grow then leave gaps
  /// between small pieces: a tenth of a run's memory. Beyond these sizes, a piece lies apart, and the end of the heap is given back.
  package static func giveBackLargePieces() {
    #if canImport(Glibc)
      mallopt(M_MMAP_THRESHOLD, 256 << 10)
      mallopt(M_TRIM_THRESHOLD, 1 << 20)
    #endif
  }
}
