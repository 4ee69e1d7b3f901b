/// Where a connection's application layer lies: in memory of its own, which a connection without payload does not need, and
/// which stays where it is.
///
/// Unsafe because the memory is its own. A stored property would be the same to those who use it, but for a check of
/// overlapping access each time, which costs more than many packets' whole way through the layer. That nothing overlaps
/// is the compiler's to see in `TCPConnection`: every access is one of a mutating method, through its one place.
@safe
final class ApplicationPlace {
  private let place: UnsafeMutablePointer<ApplicationLayer>

  init(_ layer: consuming ApplicationLayer) {
    unsafe place = .allocate(capacity: 1)
    unsafe place.initialize(to: layer)
  }

  deinit {
    unsafe place.deinitialize(count: 1)
    unsafe place.deallocate()
  }

  var layer: ApplicationLayer {
    @inline(__always) _read { yield unsafe place.pointee }
    @inline(__always) _modify { yield unsafe &place.pointee }
  }
}
