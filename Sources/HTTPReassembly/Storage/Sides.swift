/// One of the two sides of a connection, 0 or 1. The sender of the first captured packet is 0.
typealias Side = Int

/// A value for each side of a connection.
///
/// Reads choose one of two constant elements. With a computed index of an `InlineArray`, the compiler copies both values first (Swift 6.3),
/// and large ones are read for each packet.
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

  /// Reads a part of a side's value in place. A copy of a value that refers to other memory would cost reference counts.
  @inline(__always)
  func look<Result>(_ side: Side, _ body: (borrowing Value) -> Result) -> Result {
    side == 0 ? body(values[0]) : body(values[1])
  }
}

/// A side that may be unknown, in one octet. An optional number takes sixteen octets in a connection.
@propertyWrapper
struct OptionalSide {
  private var raw: Int8

  init(wrappedValue: Side?) { raw = wrappedValue.map { Int8(truncatingIfNeeded: $0) } ?? -1 }

  var wrappedValue: Side? {
    @inline(__always) get { raw < 0 ? nil : Side(raw) }
    @inline(__always) set { self = OptionalSide(wrappedValue: newValue) }
  }
}

/// A time or duration in nanoseconds that may be unknown, in eight octets. The lowest number means none.
@propertyWrapper
struct OptionalTime {
  private var raw: Int64

  init(wrappedValue: Int64?) { raw = wrappedValue ?? .min }

  var wrappedValue: Int64? {
    @inline(__always) get { raw == .min ? nil : raw }
    @inline(__always) set { raw = newValue ?? .min }
  }
}
