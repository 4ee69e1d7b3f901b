import Packets

/// The distinct values of a column, in the order in which they first came.
///
/// Its size and the time of a lookup are limited. Values prepared to collide are refused, like values beyond the limit. It uses no random
/// seed, so the same rows make the same file.
struct ValueDictionary {
  /// The most values. With more, a column is shorter without a dictionary.
  static let limit = 16_384
  /// The most octets of texts.
  static let octetLimit = 256 << 10
  /// Slots that are examined for one value.
  private static let probeLimit = 64

  /// The values of a column of numbers.
  private(set) var integers: [Int64] = []
  /// The octets of the texts.
  private(set) var octets: [UInt8] = []
  private var ends: [Int] = []
  /// The position of a value plus one; 0 in an empty slot. The number of slots is a power of two, at least twice the values.
  private var slots = [UInt32](repeating: 0, count: 64)

  /// The number of values.
  var count: Int { integers.count + ends.count }

  /// The range of a text in `octets`.
  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// The position of a number, which is added if it is new. Nil if there is no room.
  mutating func index(of value: Int64) -> UInt32? {
    let hash = Self.hash(UInt64(bitPattern: value))
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    for _ in 0..<Self.probeLimit {
      let found = slots[slot]
      if found == 0 {
        guard count < Self.limit else { return nil }
        integers.append(value)
        return noteLast(at: slot)
      }
      if integers[Int(found - 1)] == value { return found - 1 }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The position of a text, which is added if it is new. Nil if there is no room.
  mutating func index(of text: Range<Int>, in source: [UInt8]) -> UInt32? {
    var slot = Int(truncatingIfNeeded: Self.hash(source, text)) & (slots.count - 1)
    for _ in 0..<Self.probeLimit {
      let found = slots[slot]
      if found == 0 {
        guard count < Self.limit, octets.count + text.count <= Self.octetLimit else { return nil }
        octets.append(contentsOf: source[text])
        ends.append(octets.count)
        return noteLast(at: slot)
      }
      let known = range(Int(found - 1))
      if Self.areEqual(octets, known, source, text) { return found - 1 }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Removes the values after the first `count`. No values may be added after it.
  mutating func shorten(to count: Int) {
    slots = []
    if !ends.isEmpty { octets.removeSubrange((count == 0 ? 0 : ends[count - 1])...) }
    ends.removeSubrange(min(count, ends.count)...)
    integers.removeSubrange(min(count, integers.count)...)
  }

  private mutating func noteLast(at slot: Int) -> UInt32 {
    slots[slot] = UInt32(count)
    let index = UInt32(count - 1)
    if count * 2 > slots.count { grow() }
    return index
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 4)
    for index in 0..<count {
      let hash = integers.isEmpty ? Self.hash(octets, range(index)) : Self.hash(UInt64(bitPattern: integers[index]))
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(index + 1)
    }
  }

  private static func areEqual(_ a: [UInt8], _ rangeA: Range<Int>, _ b: [UInt8], _ rangeB: Range<Int>) -> Bool {
    guard rangeA.count == rangeB.count else { return false }
    return a.withOctets { a in
      b.withOctets { b in
        a.hasSameOctets(at: rangeA.lowerBound, as: b, at: rangeB.lowerBound, count: rangeA.count)
      }
    }
  }

  private static func hash(_ value: UInt64) -> UInt64 {
    let mixed = (value ^ value >> 32) &* 0x9e37_79b9_7f4a_7c15
    return mixed ^ mixed >> 29
  }

  private static func hash(_ source: [UInt8], _ range: Range<Int>) -> UInt64 {
    source.withOctets { octets in
      var state: UInt64 = UInt64(range.count) &* 0x9e37_79b9_7f4a_7c15
      var index = range.lowerBound
      while index + 8 <= range.upperBound {
        state = hash(state ^ octets.littleEndian64(index))
        index += 8
      }
      var rest: UInt64 = 0
      while index < range.upperBound {
        rest = rest << 8 | UInt64(octets.octet(index))
        index += 1
      }
      return hash(state ^ rest)
    }
  }
}
