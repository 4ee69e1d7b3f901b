/// A value in memory of its own, which stays where it is: for what is not always needed, and for what a reference leads to.
///
/// Unsafe because the memory is its own. A stored property of a class would be the same to those who use it, but for a check of
/// overlapping access each time, which costs more than many packets' whole way through a session, and more than a row's way to
/// its file. That nothing overlaps is the compiler's to see where there is one reference, and every access is one of a mutating
/// method; or where what changes the value calls nothing that has the reference.
@safe
package final class OwnMemory<Value: ~Copyable> {
  @usableFromInline let address: UnsafeMutablePointer<Value>

  /// Moves a value there.
  @inlinable
  package init(_ value: consuming Value) {
    unsafe address = .allocate(capacity: 1)
    unsafe address.initialize(to: value)
  }

  deinit {
    unsafe address.deinitialize(count: 1)
    unsafe address.deallocate()
  }

  /// The value, where it lies.
  @inlinable
  package var value: Value {
    @inline(__always) _read { yield unsafe address.pointee }
    @inline(__always) _modify { yield unsafe &address.pointee }
  }

  /// Something of the value, looked at where it lies: `value` may be copied for that, if what looks at it is not inlined.
  @inlinable @inline(__always)
  package func look<Result>(_ body: (borrowing Value) -> Result) -> Result { unsafe body(address.pointee) }
}

/// Two values in such memory, one for each side of something: a value that is read piece by piece for each packet, and refers to other memory,
/// would be copied for each piece where it is in an array of two, with a reference count for all that it refers to.
@safe
package final class OwnPair<Value> {
  @usableFromInline let address: UnsafeMutablePointer<Value>

  /// Moves the values of the sides 0 and 1 there.
  @inlinable
  package init(_ first: consuming Value, _ second: consuming Value) {
    unsafe address = .allocate(capacity: 2)
    unsafe address.initialize(to: first)
    unsafe (address + 1).initialize(to: second)
  }

  deinit {
    unsafe address.deinitialize(count: 2)
    unsafe address.deallocate()
  }

  /// The value of a side, 0 or 1, where it lies.
  @inlinable
  package subscript(side: Int) -> Value {
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
  @inlinable @inline(__always)
  package func look<Result>(_ side: Int, _ body: (borrowing Value) -> Result) -> Result {
    precondition(side == 0 || side == 1)
    return unsafe body(address[side])
  }

  /// Octets of memory that it takes on the heap.
  @inlinable
  package static var memory: Int { 2 * MemoryLayout<Value>.stride + 48 }
}
