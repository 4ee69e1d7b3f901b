import Synchronization

/// A mark of octets, to tell whether they came before without keeping them. Equal octets have equal marks; others differ, except in one
/// case of 2⁶⁴. Octets may come in any pieces.
///
/// The keys are random in each run of the program, so no sender can choose octets for a mark. Reports depend only on whether two marks are
/// equal. Parts of an analysis that are merged must all have the same keys (`fixKeys`).
package struct OctetMark {
  private var state: UInt64 = 0
  /// The first eight octets of an incomplete group of sixteen.
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  /// The number of octets taken.
  private(set) var count = 0

  private static let firstKey =
    isFixed.load(ordering: .relaxed) ? 0x243f_6a88_85a3_08d3 : UInt64.random(in: .min ... .max)
  private static let secondKey =
    isFixed.load(ordering: .relaxed) ? 0x1319_8a2e_0370_7344 : UInt64.random(in: .min ... .max)
  private static let isFixed = Atomic(false)

  /// Sets the keys that all parts of an analysis share, the first digits of π. Must be called before the run makes its first mark.
  package static func fixKeys() { isFixed.store(true, ordering: .relaxed) }

  init() {}

  /// The mark of all octets taken so far.
  var value: UInt64 { Self.mix(Self.mix(state ^ first, second), UInt64(truncatingIfNeeded: count)) }

  /// The mark of a sequence of octets.
  @inline(__always)
  static func of(_ octets: RawSpan) -> UInt64 {
    var mark = OctetMark()
    mark.take(octets)
    return mark.value
  }

  /// The mark of octets with capital letters of ASCII counted as small letters.
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

  /// Combines two marks or numbers into one mark.
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
