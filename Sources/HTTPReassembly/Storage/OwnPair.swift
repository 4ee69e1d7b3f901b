/// Two values of one kind, one for each side, in memory that does not move. It is for values that refer to other memory and are read piece
/// by piece for each packet. In an array of two, each such read would copy the value, with reference counts.
///
/// It is unsafe because it does not check for overlapping access, which would cost more than the work for many packets. The checks are
/// unneeded: only mutating methods of the reference's owner access a value, and they call nothing that accesses the same value.
@safe
final class OwnPair<Value: ~Copyable> {
  @exclusivity(unchecked) private var first: Value
  @exclusivity(unchecked) private var second: Value

  /// Moves the values of sides 0 and 1 into the pair.
  init(_ first: consuming Value, _ second: consuming Value) {
    unsafe self.first = first
    unsafe self.second = second
  }

  /// The value of a side, 0 or 1, in place.
  subscript(side: Int) -> Value {
    @inline(__always) _read {
      precondition(side == 0 || side == 1)
      if side == 0 { yield unsafe first } else { yield unsafe second }
    }
    @inline(__always) _modify {
      precondition(side == 0 || side == 1)
      if side == 0 { yield unsafe &first } else { yield unsafe &second }
    }
  }

  /// Reads a part of a side's value in place.
  @inline(__always)
  func look<Result>(_ side: Int, _ body: (borrowing Value) -> Result) -> Result {
    precondition(side == 0 || side == 1)
    return side == 0 ? unsafe body(first) : unsafe body(second)
  }

  /// Octets that the pair takes on the heap.
  static var memory: Int { 2 * MemoryLayout<Value>.stride + 48 }
}
