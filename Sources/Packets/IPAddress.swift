/// An IPv4 or IPv6 address, held without allocation.
///
/// IPv4 addresses have the IPv4-mapped form of RFC 4291 §2.5.5.2 (`::ffff:a.b.c.d`), so that both families compare and hash as 16 octets.
public struct IPAddress: Hashable, Sendable {
  /// The first eight octets, as an integer in network order.
  public var high: UInt64
  /// The last eight octets, as an integer in network order.
  public var low: UInt64

  /// Creates an IPv6 address from its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an IPv4 address.
  @inlinable
  @inline(__always)
  public init(v4 address: UInt32) {
    high = 0
    low = 0xffff_0000_0000 | UInt64(address)
  }

  /// Whether this is an IPv4 address.
  @inlinable
  public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

  /// Whether all 16 octets are equal.
  @inlinable
  @inline(__always)
  public static func == (a: IPAddress, b: IPAddress) -> Bool { a.high == b.high && a.low == b.low }
}

extension IPAddress: Comparable {
  /// Compares the 16 octets as numbers.
  @inlinable
  @inline(__always)
  public static func < (a: IPAddress, b: IPAddress) -> Bool {
    a.high == b.high ? a.low < b.low : a.high < b.high
  }
}

extension IPAddress: CustomStringConvertible {
  /// Dotted decimal, or the canonical text of RFC 5952.
  public var description: String {
    var text: [UInt8] = []
    forEachOctetOfText { text.append($0) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Passes the octets of `description`, at most 39, to `body`, one after the other.
  @inlinable
  @inline(__always)
  package func forEachOctetOfText(_ body: (UInt8) -> Void) {
    guard isIPv4 else { return forEachOctetOfIPv6Text(body) }
    for shift in stride(from: UInt64(24), through: 0, by: -8) {
      let value = UInt8(truncatingIfNeeded: low >> shift)
      if value >= 100 { body(0x30 + value / 100) }
      if value >= 10 { body(0x30 + value / 10 % 10) }
      body(0x30 + value % 10)
      if shift > 0 { body(UInt8(ascii: ".")) }
    }
  }

  @inlinable
  func forEachOctetOfIPv6Text(_ body: (UInt8) -> Void) {
    func group(_ index: Int) -> UInt16 {
      UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64((3 - index % 4) * 16))
    }
    // RFC 5952 §4.2: the longest run of two or more zero groups becomes "::", the first one if several are equal.
    var longest = 0..<0
    var start = 0
    for index in 0...8 where index == 8 || group(index) != 0 {
      if index - start > max(longest.count, 1) { longest = start..<index }
      start = index + 1
    }
    var index = 0
    while index < 8 {
      if longest.contains(index) {
        body(UInt8(ascii: ":"))
        body(UInt8(ascii: ":"))
        index = longest.upperBound
        continue
      }
      if index > 0, index != longest.upperBound || longest.isEmpty { body(UInt8(ascii: ":")) }
      var isLeading = true
      for shift in stride(from: UInt16(12), through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: group(index) >> shift & 0xf)
        if digit == 0, isLeading, shift > 0 { continue }
        isLeading = false
        body(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
      index += 1
    }
  }
}

/// A transport address: an IP address and a port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// The IP address.
  public var address: IPAddress
  /// The TCP or UDP port, 0 to 65,535.
  public var port: UInt16

  /// Creates an endpoint.
  @inlinable
  @inline(__always)
  public init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Whether address and port are equal.
  @inlinable
  @inline(__always)
  public static func == (a: Endpoint, b: Endpoint) -> Bool { a.port == b.port && a.address == b.address }

  /// `address:port`, with IPv6 addresses in brackets.
  public var description: String {
    var text: [UInt8] = []
    forEachOctetOfText { text.append($0) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Octets of the longest `description`: an IPv6 address of 39 in brackets, a colon and a port of 5.
  @inlinable package static var longestText: Int { 47 }

  /// Passes the octets of `description` to `body`, one after the other.
  @inlinable
  @inline(__always)
  package func forEachOctetOfText(_ body: (UInt8) -> Void) {
    if address.isIPv4 {
      address.forEachOctetOfText(body)
    } else {
      body(UInt8(ascii: "["))
      address.forEachOctetOfText(body)
      body(UInt8(ascii: "]"))
    }
    body(UInt8(ascii: ":"))
    if port >= 10_000 { body(UInt8(truncatingIfNeeded: 0x30 + port / 10_000)) }
    if port >= 1000 { body(UInt8(truncatingIfNeeded: 0x30 + port / 1000 % 10)) }
    if port >= 100 { body(UInt8(truncatingIfNeeded: 0x30 + port / 100 % 10)) }
    if port >= 10 { body(UInt8(truncatingIfNeeded: 0x30 + port / 10 % 10)) }
    body(UInt8(truncatingIfNeeded: 0x30 + port % 10))
  }
}
