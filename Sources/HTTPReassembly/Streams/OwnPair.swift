/// Two values in such memory, one for each side of something: a value that is read piece by piece for each packet, and refers to other memory,
/// would be copied for each piece where it is in an array of two, with a reference count for all that it refers to.
@safe
final class OwnPair<Value: ~Copyable> {
  private let address: UnsafeMutablePointer<Value>

  /// Moves the values of the sides 0 and 1 there.
  init(_ first: consuming Value, _ second: consuming Value) {
    unsafe address = .allocate(capacity: 2)
    unsafe address.initialize(to: first)
    unsafe (address + 1).initialize(to: second)
  }

  deinit {
    unsafe address.deinitialize(count: 2)
    unsafe address.deallocate()
  }

  /// The value of a side, 0 or 1, where it lies.
  subscript(side: Int) -> Value {
    @inline(__always) _read {
      precondition(side == 0 || side == 1)
      yield unsafe address[side]
    }
    @inline(__always) _modify {
      precondition(side == 0 || side == 1)
      yield unsafe &address[side]
    }
  }

  /// Something of a side's value, looked at where it lies.
  @inline(__always)
  func look<Result>(_ side: Int, _ body: (borrowing Value) -> Result) -> Result {
    precondition(side == 0 || side == 1)
    return unsafe body(address[side])
  }

  /// Octets of memory that it takes on the heap.
  static var memory: Int { 2 * MemoryLayout<Value>.stride + 48 }
}
