import Synchronization

/// A mark that the same octets always have and, but for one case in 2⁶⁴, no others: to tell whether octets came before without keeping
/// them. It is made of octets as they come, in any pieces.
///
/// The keys are drawn anew for each run of the program, so that nobody can send octets with a mark of their choice. Nothing that is
/// reported depends on a mark, but only on whether two are equal. Where parts of an analysis are put together, all must have the same
/// keys (`fixKeys`).
package struct OctetMark {
  private var state: UInt64 = 0
  /// Of the sixteen octets that are mixed at once, those that came already.
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  /// Octets that have been taken.
  private(set) var count = 0

  private static let firstKey =
    isFixed.load(ordering: .relaxed) ? 0x243f_6a88_85a3_08d3 : UInt64.random(in: .min ... .max)
  private static let secondKey =
    isFixed.load(ordering: .relaxed) ? 0x1319_8a2e_0370_7344 : UInt64.random(in: .min ... .max)
  private static let isFixed = Atomic(false)

  /// Gives marks the keys that the marks of every part have: before the first mark of the run is made. They are the first digits of π.
  package static func fixKeys() { isFixed.store(true, ordering: .relaxed) }

  init() {}

  /// The mark of all octets that have been taken.
  var value: UInt64 { Self.mix(Self.mix(state ^ first, second), UInt64(truncatingIfNeeded: count)) }

  /// The mark of octets.
  @inline(__always)
  static func of(_ octets: RawSpan) -> UInt64 {
    var mark = OctetMark()
    mark.take(octets)
    return mark.value
  }

  /// The mark of octets where capital letters of ASCII count as small ones.
  static func ofSmallLetters(_ octets: RawSpan) -> UInt64 {
    var mark = OctetMark()
    var offset = 0
    while offset &+ 16 <= octets.byteCount {
      mark.mix(
        octets.littleEndian64(within: offset).lowercasedOctets,
        octets.littleEndian64(within: offset &+ 8).lowercasedOctets)
      offset &+= 16
    }
    if octets.byteCount &- offset >= 8 {
      mark.first = octets.littleEndian64(within: offset).lowercasedOctets
      mark.second = octets.littleEndian(from: offset &+ 8).lowercasedOctets
    } else {
      mark.first = octets.littleEndian(from: offset).lowercasedOctets
    }
    mark.count = octets.byteCount
    return mark.value
  }

  /// A mark of two marks or numbers.
  @inline(__always)
  static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (high, low) = (a ^ firstKey).multipliedFullWidth(by: b ^ secondKey)
    return high ^ low
  }

  /// Takes the next octets.
  @inline(__always)
  mutating func take(_ octets: RawSpan) {
    let end = octets.byteCount
    var offset = 0
    while count & 15 != 0, offset < end {
      take(octets.octet(within: offset))
      offset &+= 1
    }
    while offset &+ 16 <= end {
      mix(octets.littleEndian64(within: offset), octets.littleEndian64(within: offset &+ 8))
      offset &+= 16
    }
    guard offset < end else { return }
    count &+= end &- offset
    if end &- offset >= 8 {
      first = octets.littleEndian64(within: offset)
      second = octets.littleEndian(from: offset &+ 8)
    } else {
      first = octets.littleEndian(from: offset)
    }
  }

  /// Takes sixteen octets, after a multiple of sixteen.
  @inline(__always)
  private mutating func mix(_ first: UInt64, _ second: UInt64) {
    state = Self.mix(state ^ first, second)
    count &+= 16
  }

  @inline(__always)
  private mutating func take(_ octet: UInt8) {
    let bits = UInt64(octet) << (UInt64(count & 7) &* 8)
    if count & 8 == 0 { first |= bits } else { second |= bits }
    count &+= 1
    guard count & 15 == 0 else { return }
    state = Self.mix(state ^ first, second)
    first = 0
    second = 0
  }
}
