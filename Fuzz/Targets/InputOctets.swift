/// Reads choices off the front of an input: what is not there is 0, so that every input means something.
struct InputOctets {
  private let octets: [UInt8]
  private var position = 0

  init(_ octets: [UInt8]) { self.octets = octets }

  /// Whether octets are left.
  var hasMore: Bool { position < octets.count }

  /// The next octet.
  mutating func next() -> UInt8 {
    guard position < octets.count else { return 0 }
    defer { position += 1 }
    return octets[position]
  }

  /// The next two octets, the high one first.
  mutating func next16() -> Int { Int(next()) << 8 | Int(next()) }

  /// The next `count` octets, or as many as are left.
  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(position + count, octets.count)
    defer { position = end }
    return Array(octets[position..<end])
  }

  /// What is left.
  mutating func rest() -> [UInt8] { take(octets.count - position) }

  /// Up to `limit` places to cut `length` octets at, in order, and both ends.
  mutating func cuts(of length: Int, limit: Int) -> [Int] {
    var places: Set<Int> = [0, length]
    for _ in 0..<Int(next()) % (limit + 1) { places.insert(next16() % (length + 1)) }
    return places.sorted()
  }
}
