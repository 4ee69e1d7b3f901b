/// A value in memory of its own, which stays where it is: for what is not always needed, and for what a reference leads to.
///
/// Unsafe because overlapping access is not looked for each time: that costs more than many packets' whole way through a session, and
/// more than a row's way to its file. That nothing overlaps is the compiler's to see where there is one reference, and every access is one
/// of a mutating method; or where what changes the value calls nothing that has the reference.
@safe
package final class OwnMemory<Value: ~Copyable> {
  @usableFromInline @exclusivity(unchecked) final var stored: Value

  /// Moves a value there.
  @inlinable
  package init(_ value: consuming Value) { unsafe stored = value }

  /// The value, where it lies.
  @inlinable
  package var value: Value {
    @inline(__always) _read { yield unsafe stored }
    @inline(__always) _modify { yield unsafe &stored }
  }

  /// Something of the value, looked at where it lies: `value` may be copied for that, if what looks at it is not inlined.
  @inlinable @inline(__always)
  package func look<Result>(_ body: (borrowing Value) -> Result) -> Result { unsafe body(stored) }
}
