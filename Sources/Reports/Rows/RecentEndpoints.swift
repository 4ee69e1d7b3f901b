import HTTPReassembly

/// The texts of endpoints that were written lately: those of a connection come with each of its messages.
struct RecentEndpoints {
  private static let count = 128
  /// Octets of each text's place: the longest is an IPv6 address in brackets with a port.
  private static let room = 48
  private var endpoints: [Endpoint] = []
  private var lengths: [UInt8] = []
  /// The texts, a place each.
  private(set) var texts: [UInt8] = []

  /// Where the text of an endpoint is in `texts`, if it is remembered.
  @inline(__always)
  func place(of endpoint: Endpoint) -> Range<Int>? {
    let place = Self.place(endpoint)
    guard place < endpoints.count, endpoints[place] == endpoint, lengths[place] > 0 else { return nil }
    let start = place * Self.room
    return start..<start + Int(lengths[place])
  }

  /// Remembers a text, instead of another one.
  mutating func remember(_ text: RawSpan, of endpoint: Endpoint) {
    guard text.byteCount <= Self.room else { return }
    if endpoints.isEmpty {
      endpoints = Array(repeating: endpoint, count: Self.count)
      lengths = Array(repeating: 0, count: Self.count)
      texts = Array(repeating: 0, count: Self.count * Self.room)
    }
    let place = Self.place(endpoint)
    endpoints[place] = endpoint
    text.copy(0..<text.byteCount, to: &texts, at: place * Self.room)
    lengths[place] = UInt8(text.byteCount)
  }

  @inline(__always)
  private static func place(_ endpoint: Endpoint) -> Int {
    let mixed = (endpoint.address.high ^ endpoint.address.low ^ UInt64(endpoint.port) << 20) &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 57)
  }
}
