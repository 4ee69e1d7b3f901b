/// A value in memory of its own, which a connection without payload does not need, and which stays where it is.
///
/// Unsafe because the memory is its own. A stored property of a class would be the same to those who use it, but for a check of
/// overlapping access each time, which costs more than many packets' whole way through a session. That nothing overlaps is the
/// compiler's to see in `Session` and `TCPConnection`: every access is one of a mutating method, through the one reference
/// there is.
@safe
final class OwnMemory<Value> {
  private let address: UnsafeMutablePointer<Value>

  init(_ value: consuming Value) {
    unsafe address = .allocate(capacity: 1)
    unsafe address.initialize(to: value)
  }

  deinit {
    unsafe address.deinitialize(count: 1)
    unsafe address.deallocate()
  }

  var value: Value {
    @inline(__always) _read { yield unsafe address.pointee }
    @inline(__always) _modify { yield unsafe &address.pointee }
  }
}
