/// Two values of one kind, one for each side, in memory that does not move. It is for values that refer to other memory and are read piece
/// by piece for each packet. In an array of two, each such read would copy the value, with reference counts.
///
/// It is unsafe because it does not check for overlapping access, which would cost more than the work for many packets. The checks are
/// unneeded: only mutating methods of the reference's owner access a value, and they call nothing that accesses the same value. The class
/// owns the memory of both values, and gives their addresses for the duration of an access. An accessor that yields one of two properties
/// takes a call and memory for each access.
@safe
final class OwnPair<Value: ~Copyable> {
  private let values: UnsafeMutablePointer<Value>

  /// Moves the values of sides 0 and 1 into the pair.
  init(_ first: consuming Value, _ second: consuming Value) {
    unsafe values = .allocate(capacity: 2)
    unsafe values.initialize(to: first)
    unsafe (values + 1).initialize(to: second)
  }

  deinit {
    unsafe values.deinitialize(count: 2)
    unsafe values.deallocate()
  }

  /// The value of a side, 0 or 1, in place.
  subscript(side: Int) -> Value {
    @inline(__always) unsafeAddress {
      precondition(side == 0 || side == 1)
      return unsafe UnsafePointer(values + side)
    }
    @inline(__always) unsafeMutableAddress {
      precondition(side == 0 || side == 1)
      return unsafe values + side
    }
  }

  /// Reads a part of a side's value in place.
  @inline(__always)
  func look<Result>(_ side: Int, _ body: (borrowing Value) -> Result) -> Result {
    precondition(side == 0 || side == 1)
    return unsafe body(values[side])
  }

  /// Octets that the pair takes on the heap.
  static var memory: Int { 2 * MemoryLayout<Value>.stride + 64 }
}
