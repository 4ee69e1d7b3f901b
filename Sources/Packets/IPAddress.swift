/// An IPv4 or IPv6 address, held without allocation.
///
/// IPv4 addresses are held in the IPv4-mapped form of RFC 4291 §2.5.5.2 (`::ffff:a.b.c.d`), so that both
/// families compare and hash as 16 octets.
public struct IPAddress: Hashable, Sendable {
  /// The first eight octets, as an integer in network order.
  public var high: UInt64
  /// The last eight octets, as an integer in network order.
  public var low: UInt64

  /// Makes an IPv6 address from its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes an IPv4 address.
  @inlinable
  @inline(__always)
  public init(v4 address: UInt32) {
    high = 0
    low = 0xffff_0000_0000 | UInt64(address)
  }

  /// Whether this is an IPv4 address.
  @inlinable
  public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

  /// Whether all 16 octets are the same.
  @inlinable
  @inline(__always)
  public static func == (a: IPAddress, b: IPAddress) -> Bool { a.high == b.high && a.low == b.low }
}

extension IPAddress: Comparable {
  /// Numeric order of the 16 octets.
  @inlinable
  @inline(__always)
  public static func < (a: IPAddress, b: IPAddress) -> Bool {
    a.high == b.high ? a.low < b.low : a.high < b.high
  }
}

extension IPAddress: CustomStringConvertible {
  /// Dotted decimal, or the canonical text of RFC 5952.
  public var description: String {
    if isIPv4 {
      return "\(low >> 24 & 0xff).\(low >> 16 & 0xff).\(low >> 8 & 0xff).\(low & 0xff)"
    }
    let groups = (0..<8).map { index in
      UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64((3 - index % 4) * 16))
    }
    // RFC 5952 §4.2: the longest run of two or more zero groups, the first of equals, becomes "::".
    var longest = 0..<0
    var start = 0
    for index in 0...8 where index == 8 || groups[index] != 0 {
      if index - start > max(longest.count, 1) { longest = start..<index }
      start = index + 1
    }
    func text(_ range: Range<Int>) -> String {
      groups[range].map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard !longest.isEmpty else { return text(0..<8) }
    return text(0..<longest.lowerBound) + "::" + text(longest.upperBound..<8)
  }
}

/// A transport address: an IP address and a port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// The IP address.
  public var address: IPAddress
  /// The TCP or UDP port, 0 to 65,535.
  public var port: UInt16

  /// Makes an endpoint.
  @inlinable
  @inline(__always)
  public init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Whether address and port are the same.
  @inlinable
  @inline(__always)
  public static func == (a: Endpoint, b: Endpoint) -> Bool { a.port == b.port && a.address == b.address }

  /// `address:port`, with IPv6 addresses in brackets.
  public var description: String {
    address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
  }
}
