/// The places of values that lie elsewhere, found by a hash of each value: open addressing with linear probing.
///
/// The caller compares values and chooses the hash. Values from outside need a hash with a random key, or a limit of `probes`, because
/// hashes of values can be made equal on purpose (CWE-407).
package struct HashIndex: Sendable {
  @usableFromInline
  struct Bucket: Sendable {
    @usableFromInline var hash: UInt32
    /// The place of a value, 0 and more; -1 in an empty bucket.
    @usableFromInline var place: Int32

    @inlinable
    init(hash: UInt32, place: Int32) {
      self.hash = hash
      self.place = place
    }
  }

  /// The number of buckets is a power of two, at least twice the number of values.
  @usableFromInline var buckets: [Bucket]
  /// The number of values.
  package private(set) var count = 0

  /// Octets of memory on the heap.
  package var memory: Int { buckets.count &* MemoryLayout<Bucket>.stride }

  /// Creates an index with room for half of `buckets`, a power of two.
  package init(buckets: Int) {
    precondition(buckets > 0 && buckets & (buckets - 1) == 0)
    self.buckets = Array(repeating: Bucket(hash: 0, place: -1), count: buckets)
  }

  /// The place of the value with this hash that `isSought` accepts. At most `probes` buckets are looked at.
  @inlinable
  @inline(__always)
  package func place(_ hash: UInt32, probes: Int = .max, where isSought: (Int) -> Bool) -> Int? {
    let mask = buckets.count &- 1
    var index = Int(hash) & mask
    var left = probes
    while buckets[index].place >= 0, left > 0 {
      if buckets[index].hash == hash, isSought(Int(buckets[index].place)) { return Int(buckets[index].place) }
      index = (index &+ 1) & mask
      left &-= 1
    }
    return nil
  }

  /// Adds a place that the index does not hold. Returns false, and adds nothing, if none of `probes` buckets is empty.
  @discardableResult
  package mutating func insert(_ place: Int, _ hash: UInt32, probes: Int = .max) -> Bool {
    if (count + 1) * 2 > buckets.count { grow() }
    let mask = buckets.count - 1
    var index = Int(hash) & mask
    var left = probes
    while buckets[index].place >= 0 {
      left -= 1
      guard left > 0 else { return false }
      index = (index + 1) & mask
    }
    buckets[index] = Bucket(hash: hash, place: Int32(place))
    count += 1
    return true
  }

  /// Removes a place that the index holds under this hash.
  package mutating func remove(_ place: Int, _ hash: UInt32) {
    let mask = buckets.count - 1
    var gap = Int(hash) & mask
    while buckets[gap].place != Int32(place) { gap = (gap + 1) & mask }
    // Close the gap, so that a search never steps over deleted buckets.
    var index = (gap + 1) & mask
    while buckets[index].place >= 0 {
      if (index - Int(buckets[index].hash)) & mask >= (index - gap) & mask {
        buckets[gap] = buckets[index]
        gap = index
      }
      index = (index + 1) & mask
    }
    buckets[gap].place = -1
    count -= 1
  }

  private mutating func grow() {
    let old = buckets
    buckets = Array(repeating: Bucket(hash: 0, place: -1), count: old.count * 2)
    count = 0
    for bucket in old where bucket.place >= 0 { insert(Int(bucket.place), bucket.hash) }
  }
}

extension RawSpan {
  /// A hash of the octets without a random key: octets with equal hashes can be made on purpose.
  package var unkeyedHash: UInt32 {
    // 2⁶⁴ divided by the golden ratio.
    let factor: UInt64 = 0x9e37_79b9_7f4a_7c15
    var hash = UInt64(byteCount)
    var offset = 0
    while offset + 8 <= byteCount {
      hash = (hash ^ littleEndian64(within: offset)) &* factor
      hash ^= hash >> 32
      offset += 8
    }
    hash = (hash ^ littleEndian(from: offset)) &* factor
    return UInt32(truncatingIfNeeded: hash >> 32)
  }

  /// A hash of the length, and of the first and the last eight octets, in its highest bits. It suits memories that compare what they find,
  /// where a miss costs little. Octets that differ in `bits` alone are alike.
  @inlinable
  @inline(__always)
  package func hashOfEnds(ignoring bits: UInt64 = 0) -> UInt64 {
    var mixed = UInt64(truncatingIfNeeded: byteCount)
    if byteCount >= 8 {
      mixed &+= littleEndian64(within: 0) | bits
      mixed ^= (littleEndian64(within: byteCount &- 8) | bits) &* 0xff51_afd7_ed55_8ccd
    } else {
      mixed &+= (littleEndian(from: 0) | bits) << 3
    }
    return mixed &* 0x9e37_79b9_7f4a_7c15
  }
}
