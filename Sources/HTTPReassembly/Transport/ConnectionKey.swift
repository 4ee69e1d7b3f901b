/// What identifies a connection: both endpoints, whichever sent the segment.
struct ConnectionKey: Equatable {
  private var low: Endpoint
  private var high: Endpoint

  @inline(__always)
  init(_ a: Endpoint, _ b: Endpoint) {
    let isOrdered = a.address == b.address ? a.port <= b.port : a.address < b.address
    low = isOrdered ? a : b
    high = isOrdered ? b : a
  }

  /// A hash that nobody outside can foresee, so that nobody can fill one place of the table (CWE-407).
  ///
  /// Folded 64 × 64 bit products, keyed at random for each run: two multiplications a packet, where the standard
  /// library's hasher takes several times that.
  @inline(__always)
  func hash(_ seed: HashSeed) -> Int {
    let ports = UInt64(low.port) << 16 | UInt64(high.port)
    let first = Self.fold(low.address.low ^ seed.a, high.address.low ^ seed.b)
    let second = Self.fold(low.address.high ^ high.address.high &* 0x9e37_79b9_7f4a_7c15 ^ seed.c, ports ^ seed.a)
    return Int(truncatingIfNeeded: Self.fold(first ^ seed.b, second ^ seed.c) >> 1)
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b | 1)
    return product.high ^ product.low
  }
}

/// The random key of a run's hashes.
struct HashSeed {
  let a = UInt64.random(in: .min ... .max)
  let b = UInt64.random(in: .min ... .max)
  let c = UInt64.random(in: .min ... .max)
}
