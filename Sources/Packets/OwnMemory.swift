/// A value in memory of its own, which does not move. It is for values that are rarely needed, and for values that a reference leads to.
///
/// It is unsafe because it does not check for overlapping access. Such checks cost more than many packets' whole way through a session, and
/// more than a row's way to its file. No access overlaps in two cases. With a single reference, all access is by mutating methods, and the
/// compiler checks them. Otherwise, code that changes the value calls nothing that has the reference.
@safe
package final class OwnMemory<Value: ~Copyable> {
  @usableFromInline @exclusivity(unchecked) final var stored: Value

  /// Moves a value into memory of its own.
  @inlinable
  package init(_ value: consuming Value) { unsafe stored = value }

  /// The value, in place.
  @inlinable
  package var value: Value {
    @inline(__always) _read { yield unsafe stored }
    @inline(__always) _modify { yield unsafe &stored }
  }

  /// Reads a part of the value in place. `value` may be copied if the reading code is not inlined.
  @inlinable @inline(__always)
  package func look<Result>(_ body: (borrowing Value) -> Result) -> Result { unsafe body(stored) }
}
