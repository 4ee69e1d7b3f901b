import Packets

/// A packet whose octets are in the buffer of a window. Unsafe site: a span over memory that this value does not own.
///
/// The reader that holds it owns the window, too. It withdraws the octets before the window is filled again. It lends the span
/// only while it is borrowed itself, when that cannot happen. The window itself could not be inlined into other modules: Swift
/// 6.3.1 crashes on `@usableFromInline` properties of its type.
@usableFromInline
@safe struct LentPacket {
  @usableFromInline var packet = Packet(timestamp: 0, originalLength: 0, linkType: .null)
  @usableFromInline var octets = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

  /// An empty packet with the time 0.
  init() {}

  /// Forgets the octets.
  @inline(__always)
  mutating func withdraw() {
    unsafe octets = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Lends the packet.
  @inlinable @inline(__always)
  func withPacket<Result, Failure: Error>(
    _ body: (Packet, RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(packet, unsafe RawSpan(_unsafeBytes: octets))
  }
}
