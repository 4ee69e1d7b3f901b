/// One of the two sides of a connection, 0 or 1: the sender of its first captured packet is 0.
typealias Side = Int

/// A value for each side of a connection.
///
/// Reads name one of two elements that the compiler knows, and not a computed index of an `InlineArray`: for that it copies both
/// values first (Swift 6.3), and large ones are read for each packet.
struct Sides<Value> {
  private var values: InlineArray<2, Value>

  /// The same value for both sides.
  init(repeating value: Value) { values = InlineArray(repeating: value) }

  /// A value for side 0 and one for side 1.
  init(_ first: Value, _ second: Value) { values = [first, second] }

  subscript(side: Side) -> Value {
    @inline(__always) get { side == 0 ? values[0] : values[1] }
    @inline(__always) _modify { yield &values[side] }
  }

  /// Something of a side's value, looked at where it lies: for values that refer to memory elsewhere, of which a copy would
  /// cost reference counts.
  @inline(__always)
  func look<Result>(_ side: Side, _ body: (borrowing Value) -> Result) -> Result {
    side == 0 ? body(values[0]) : body(values[1])
  }
}

/// A side that may not be known, in one octet: an optional number takes sixteen in a connection.
@propertyWrapper
struct OptionalSide {
  private var raw: Int8

  init(wrappedValue: Side?) { raw = wrappedValue.map { Int8(truncatingIfNeeded: $0) } ?? -1 }

  var wrappedValue: Side? {
    @inline(__always) get { raw < 0 ? nil : Side(raw) }
    @inline(__always) set { self = OptionalSide(wrappedValue: newValue) }
  }
}

/// A time or duration in nanoseconds that may not be known, in eight octets; the lowest number stands for none.
@propertyWrapper
struct OptionalTime {
  private var raw: Int64

  init(wrappedValue: Int64?) { raw = wrappedValue ?? .min }

  var wrappedValue: Int64? {
    @inline(__always) get { raw == .min ? nil : raw }
    @inline(__always) set { raw = newValue ?? .min }
  }
}
