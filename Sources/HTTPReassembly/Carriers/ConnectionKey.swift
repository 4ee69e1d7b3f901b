/// The identity of a connection: both endpoints, in either direction.
struct ConnectionKey: Hashable {
  // Two endpoints would need more room: each would be padded to 24 octets.
  private let lowAddress: IPAddress
  private let highAddress: IPAddress
  private let lowPort: UInt16
  private let highPort: UInt16

  @inline(__always)
  init(_ a: Endpoint, _ b: Endpoint) {
    let isOrdered = a.address == b.address ? a.port <= b.port : a.address < b.address
    lowAddress = isOrdered ? a.address : b.address
    highAddress = isOrdered ? b.address : a.address
    lowPort = isOrdered ? a.port : b.port
    highPort = isOrdered ? b.port : a.port
  }

  /// The endpoint that comes first in the order of addresses and ports.
  var low: Endpoint { Endpoint(address: lowAddress, port: lowPort) }
  /// The other endpoint.
  var high: Endpoint { Endpoint(address: highAddress, port: highPort) }

  /// A hash that outsiders cannot foresee, so that they cannot fill one bucket of the table (CWE-407).
  ///
  /// It folds 64 × 64 bit products with a random key for each run. That takes two multiplications a packet; the standard
  /// library's hasher takes several times as long.
  @inline(__always)
  func hash(_ seed: HashSeed) -> Int {
    let ports = UInt64(lowPort) << 16 | UInt64(highPort)
    let first = Self.fold(lowAddress.low ^ seed.a, highAddress.low ^ seed.b)
    let second = Self.fold(lowAddress.high ^ highAddress.high &* 0x9e37_79b9_7f4a_7c15 ^ seed.c, ports ^ seed.a)
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
