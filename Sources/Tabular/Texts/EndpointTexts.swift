import Packets

/// Texts of endpoints, made once and then copied: those of a connection come with each of its messages.
@usableFromInline
struct EndpointTexts {
  /// Slots of the table: a power of two. Two endpoints of one slot are written again when they take turns.
  @inlinable static var slotCount: Int { 256 }
  /// Octets of a slot's text, of which there may be fewer.
  @inlinable static var room: Int { 48 }

  @usableFromInline var endpoints: [Endpoint] = []
  @usableFromInline var lengths: [UInt8] = []
  /// The texts, one slot after the other.
  @usableFromInline var texts: [UInt8] = []

  @usableFromInline
  init() {}

  /// The range of an endpoint's text in `texts`; nil when it is not held.
  @inlinable
  @inline(__always)
  func range(of endpoint: Endpoint) -> Range<Int>? {
    let slot = Self.slot(endpoint)
    guard slot < endpoints.count, endpoints[slot] == endpoint, lengths[slot] > 0 else { return nil }
    let start = slot &* Self.room
    return start..<start &+ Int(lengths[slot])
  }

  /// Holds a text, instead of that of another endpoint.
  @inline(never)
  @usableFromInline
  mutating func remember(_ text: RawSpan, of endpoint: Endpoint) {
    if endpoints.isEmpty {
      endpoints = Array(repeating: endpoint, count: Self.slotCount)
      lengths = Array(repeating: 0, count: Self.slotCount)
      texts = Array(repeating: 0, count: Self.slotCount * Self.room)
    }
    let slot = Self.slot(endpoint)
    endpoints[slot] = endpoint
    text.copy(0..<text.byteCount, to: &texts, at: slot * Self.room)
    lengths[slot] = UInt8(text.byteCount)
  }

  @inlinable
  @inline(__always)
  static func slot(_ endpoint: Endpoint) -> Int {
    let mixed = (endpoint.address.high ^ endpoint.address.low ^ UInt64(endpoint.port) << 20) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed >> 56)
  }
}
