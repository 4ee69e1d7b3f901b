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
  /// Buckets that are examined for one value.
  private static let probeLimit = 256

  /// The values of a column of numbers.
  private(set) var integers: [Int64] = []
  /// The octets of the texts.
  private(set) var octets: [UInt8] = []
  private var ends: [Int] = []
  private var index = HashIndex(buckets: 64)

  /// The number of values.
  var count: Int { integers.count + ends.count }

  /// The range of a text in `octets`.
  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// The position of a number, which is added if it is new. Nil if there is no room.
  mutating func index(of value: Int64) -> UInt32? {
    let hash = UInt32(truncatingIfNeeded: Self.hash(UInt64(bitPattern: value)))
    if let known = index.place(hash, probes: Self.probeLimit, where: { integers[$0] == value }) { return UInt32(known) }
    guard count < Self.limit, index.insert(count, hash, probes: Self.probeLimit) else { return nil }
    integers.append(value)
    return UInt32(count - 1)
  }

  /// The position of a text, which is added if it is new. Nil if there is no room.
  mutating func index(of text: Range<Int>, in source: [UInt8]) -> UInt32? {
    source.withOctets { source in
      let text = source.extracting(text)
      let hash = text.unkeyedHash
      let known = index.place(hash, probes: Self.probeLimit) { place in
        octets.withOctets { $0.extracting(range(place)).hasSameOctets(as: text) }
      }
      if let known { return UInt32(known) }
      guard count < Self.limit, octets.count + text.byteCount <= Self.octetLimit,
        index.insert(count, hash, probes: Self.probeLimit)
      else { return nil }
      text.append(0..<text.byteCount, to: &octets)
      ends.append(octets.count)
      return UInt32(count - 1)
    }
  }

  /// Removes the values after the first `count`. No values may be added after it.
  mutating func shorten(to count: Int) {
    index = HashIndex(buckets: 1)
    if !ends.isEmpty { octets.removeSubrange((count == 0 ? 0 : ends[count - 1])...) }
    ends.removeSubrange(min(count, ends.count)...)
    integers.removeSubrange(min(count, integers.count)...)
  }

  private static func hash(_ value: UInt64) -> UInt64 {
    let mixed = (value ^ value >> 32) &* 0x9e37_79b9_7f4a_7c15
    return mixed ^ mixed >> 29
  }
}
