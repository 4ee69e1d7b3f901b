/// Two values of one kind, one for each side of something, in memory that stays where it is: a value that is read piece by piece for each
/// packet, and refers to other memory, would be copied for each piece where it is in an array of two, with a reference count for all that
/// it refers to.
///
/// Unsafe because overlapping access is not looked for each time, which costs more than what is done here for many packets: each access
/// is one of a mutating method of the one that has the reference, or of what that calls with something else.
@safe
final class OwnPair<Value: ~Copyable> {
  @exclusivity(unchecked) private var first: Value
  @exclusivity(unchecked) private var second: Value

  /// Moves the values of the sides 0 and 1 there.
  init(_ first: consuming Value, _ second: consuming Value) {
    unsafe self.first = first
    unsafe self.second = second
  }

  /// The value of a side, 0 or 1, where it lies.
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

  /// Something of a side's value, looked at where it lies.
  @inline(__always)
  func look<Result>(_ side: Int, _ body: (borrowing Value) -> Result) -> Result {
    precondition(side == 0 || side == 1)
    return side == 0 ? unsafe body(first) : unsafe body(second)
  }

  /// Octets of memory that it takes on the heap.
  static var memory: Int { 2 * MemoryLayout<Value>.stride + 48 }
}
