import Synchronization

/// A mark of octets, to tell whether they came before without keeping them. Equal octets have equal marks; others differ, except in one
/// case of 2⁶⁴. Octets may come in any pieces.
///
/// The keys are random in each run of the program, so no sender can choose octets for a mark. Reports depend only on whether two marks are
/// equal. Parts of an analysis that are merged must all have the same keys (`fixKeys`).
package struct OctetMark {
  /// Four chains of multiplications, which a processor follows at once. Groups of sixteen octets go to them in turn.
  private var lane0: UInt64 = 0
  private var lane1: UInt64 = 0
  private var lane2: UInt64 = 0
  private var lane3: UInt64 = 0
  /// The first eight octets of an incomplete group of sixteen.
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  /// The number of octets taken.
  private(set) var count = 0

  // The first digits of π, until other keys are chosen. A constant needs no look whether it was made already.
  private static let firstKey = Atomic<UInt64>(0x243f_6a88_85a3_08d3)
  private static let secondKey = Atomic<UInt64>(0x1319_8a2e_0370_7344)
  private static let isFixed = Atomic(false)
  private static let chosen: Void = {
    guard !isFixed.load(ordering: .relaxed) else { return }
    firstKey.store(.random(in: .min ... .max), ordering: .relaxed)
    secondKey.store(.random(in: .min ... .max), ordering: .relaxed)
  }()

  /// Chooses the keys of this run of the program. Must be called before the run makes its first mark; further calls do nothing.
  static func chooseKeys() { _ = chosen }

  /// Lets all parts of an analysis share their keys. Must be called before the keys are chosen.
  package static func fixKeys() { isFixed.store(true, ordering: .relaxed) }

  @inline(__always)
  private static var keys: (UInt64, UInt64) {
    (firstKey.load(ordering: .relaxed), secondKey.load(ordering: .relaxed))
  }

  init() {}

  /// The mark of all octets taken so far.
  var value: UInt64 {
    let length = UInt64(truncatingIfNeeded: count)
    // Most marks are of lines and names, which do not reach the other lanes.
    if count < 32 { return Self.mix(Self.mix(lane0 ^ first, second), length) }
    let front = Self.mix(Self.mix(lane0 ^ first, second), lane1 ^ length)
    return count < 48 ? front : Self.mix(front, Self.mix(lane2, lane3))
  }

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
  static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 { mix(a, b, keys) }

  @inline(__always)
  private static func mix(_ a: UInt64, _ b: UInt64, _ keys: (UInt64, UInt64)) -> UInt64 {
    let (high, low) = (a ^ keys.0).multipliedFullWidth(by: b ^ keys.1)
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
    if offset &+ 16 <= end { takeGroups(octets, &offset) }
    guard offset < end else { return }
    count &+= end &- offset
    if end &- offset >= 8 {
      first = octets.littleEndian64(within: offset)
      second = octets.littleEndian(from: offset &+ 8)
    } else {
      first = octets.littleEndian(from: offset)
    }
  }

  /// Takes all whole groups, after a multiple of sixteen octets.
  @inline(never)
  private mutating func takeGroups(_ octets: RawSpan, _ offset: inout Int) {
    let keys = Self.keys
    let start = offset
    var (a, b, c, d) = (lane0, lane1, lane2, lane3)
    var lane = count >> 4 & 3
    while offset &+ 16 <= octets.byteCount {
      if lane == 0, offset &+ 64 <= octets.byteCount {
        a = Self.mix(a ^ octets.littleEndian64(within: offset), octets.littleEndian64(within: offset &+ 8), keys)
        b = Self.mix(b ^ octets.littleEndian64(within: offset &+ 16), octets.littleEndian64(within: offset &+ 24), keys)
        c = Self.mix(c ^ octets.littleEndian64(within: offset &+ 32), octets.littleEndian64(within: offset &+ 40), keys)
        d = Self.mix(d ^ octets.littleEndian64(within: offset &+ 48), octets.littleEndian64(within: offset &+ 56), keys)
        offset &+= 64
        continue
      }
      let (first, second) = (octets.littleEndian64(within: offset), octets.littleEndian64(within: offset &+ 8))
      switch lane {
      case 0: a = Self.mix(a ^ first, second, keys)
      case 1: b = Self.mix(b ^ first, second, keys)
      case 2: c = Self.mix(c ^ first, second, keys)
      default: d = Self.mix(d ^ first, second, keys)
      }
      lane = (lane &+ 1) & 3
      offset &+= 16
    }
    (lane0, lane1, lane2, lane3) = (a, b, c, d)
    count &+= offset &- start
  }

  /// Takes sixteen octets, after a multiple of sixteen.
  @inline(__always)
  private mutating func mix(_ first: UInt64, _ second: UInt64) {
    switch count & 48 {
    case 0: lane0 = Self.mix(lane0 ^ first, second)
    case 16: lane1 = Self.mix(lane1 ^ first, second)
    case 32: lane2 = Self.mix(lane2 ^ first, second)
    default: lane3 = Self.mix(lane3 ^ first, second)
    }
    count &+= 16
  }

  @inline(__always)
  private mutating func take(_ octet: UInt8) {
    let bits = UInt64(octet) << (UInt64(count & 7) &* 8)
    if count & 8 == 0 { first |= bits } else { second |= bits }
    guard count & 15 == 15 else {
      count &+= 1
      return
    }
    count &-= 15
    mix(first, second)
    first = 0
    second = 0
  }
}
