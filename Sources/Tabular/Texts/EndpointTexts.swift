import Packets

/// Texts of endpoints, made once and then copied: each message of a connection needs them.
@usableFromInline
struct EndpointTexts {
  /// The number of slots, a power of two. If two endpoints share a slot and alternate, their texts are made again.
  @inlinable static var slotCount: Int { 256 }
  /// The most octets of a slot's text.
  @inlinable static var room: Int { OctetBuffer.pieceLength }

  @usableFromInline var endpoints: [Endpoint] = []
  @usableFromInline var lengths: [UInt8] = []
  /// The texts, slot by slot.
  @usableFromInline var texts: [UInt8] = []

  @usableFromInline
  init() {}

  /// The slot of an endpoint's text; nil if it is not kept.
  @inlinable
  @inline(__always)
  func slot(of endpoint: Endpoint) -> Int? {
    let slot = Self.slot(endpoint)
    return slot < endpoints.count && endpoints[slot] == endpoint && lengths[slot] > 0 ? slot : nil
  }

  /// Keeps the text of an endpoint, in place of another's.
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
