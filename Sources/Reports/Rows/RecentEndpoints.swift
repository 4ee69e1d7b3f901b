import HTTPReassembly

/// The texts of endpoints that were written lately: those of a connection come with each of its messages.
struct RecentEndpoints {
  private static let count = 128
  private var places: [(endpoint: Endpoint, text: [UInt8])] = []

  /// The text of an endpoint, if it is remembered.
  @inline(__always)
  func text(of endpoint: Endpoint) -> [UInt8]? {
    guard !places.isEmpty else { return nil }
    let place = Self.place(endpoint)
    return places[place].endpoint == endpoint ? places[place].text : nil
  }

  /// Remembers a text, instead of another one.
  mutating func remember(_ text: [UInt8], of endpoint: Endpoint) {
    if places.isEmpty { places = Array(repeating: (endpoint, text), count: Self.count) }
    places[Self.place(endpoint)] = (endpoint, text)
  }

  @inline(__always)
  private static func place(_ endpoint: Endpoint) -> Int {
    let mixed = (endpoint.address.high ^ endpoint.address.low ^ UInt64(endpoint.port) << 20) &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 57)
  }
}
