/// Durations for percentiles. Up to `exactLimit` values are exact. Beyond, they are within 1/128 of the true value, and memory does not
/// grow further. `coarsen` saves memory: each step halves the number of exact values and the precision of the rest.
public struct LatencyDistribution: Sendable {
  /// Values kept one by one before they are folded into buckets. 512 values are 4 KiB for each API.
  static let exactLimit = 512
  /// Values that wait for folding once there are buckets. Finding a bucket for each new value took longer than all other work for an API.
  private static let foldingLimit = 128
  /// The largest number of bits behind the leading one that distinguish buckets.
  package static let finestBits = 7

  /// The count of durations with the same leading bits and exponent, which `number` encodes.
  private struct Bucket {
    var number: UInt16
    var count: UInt32
  }

  /// Values that are in no bucket yet.
  private var values: [Int64] = []
  /// Values that there is room for since the last folding.
  private var valuesKept: Int32 = 0
  /// Values at which they are folded, and beyond which they take more memory. They lie here, so that a new value reads no bucket.
  private var foldsAt: Int32 = 0
  private var room: Int32 = 0
  /// Buckets by number, used beyond the limit of exact values. A number has several buckets if one cannot count that far.
  private var buckets: [Bucket] = []
  /// Bits behind the leading one that distinguish buckets, from 0 to `finestBits`.
  private(set) var bits: Int
  /// The number of durations.
  public private(set) var count = 0
  /// The sum of the durations in nanoseconds; it stops at the largest number.
  public private(set) var sum: Int64 = 0

  package init() { self.init(bits: Self.finestBits) }

  /// Creates an empty distribution of a lower precision.
  package init(bits: Int) {
    self.bits = bits
    countMemory()
  }

  /// Octets of memory that it refers to.
  ///
  /// They follow from the counts alone. The capacity of an array depends on the allocator, but the same capture has to give the same
  /// percentiles.
  package private(set) var memory = 0

  /// Counts the memory, and sets at how many values it changes next.
  private mutating func countMemory() {
    let kept = MemoryBudget.grown(max(values.count, Int(valuesKept)))
    room = Int32(kept)
    memory = kept * MemoryLayout<Int64>.stride + MemoryBudget.grown(buckets.count) * MemoryLayout<Bucket>.stride
    foldsAt = Int32(buckets.isEmpty ? Self.keptExactly(bits) + 1 : min(Self.foldingLimit, Self.keptExactly(bits)))
  }

  /// Adds a duration in nanoseconds; a negative one counts as 0.
  package mutating func record(_ duration: Int64) {
    count += 1
    let duration = max(duration, 0)
    add(toSum: duration)
    values.append(duration)
    if values.count >= foldsAt { fold() } else if values.count > room { countMemory() }
  }

  /// Adds the durations of another distribution. The result has the lower precision of both.
  package mutating func merge(_ other: LatencyDistribution) {
    coarsen(to: other.bits)
    var other = other
    other.coarsen(to: bits)
    let known = sum
    for value in other.values { record(value) }
    sum = known
    add(toSum: other.sum)
    guard !other.buckets.isEmpty else { return }
    fold()
    buckets = Self.merged(buckets, other.buckets)
    count += other.count - other.values.count
    countMemory()
  }

  /// Lowers precision to save memory: at most `bits` bits, from 0 to `finestBits`, distinguish buckets.
  package mutating func coarsen(to bits: Int) {
    guard bits < self.bits else { return }
    let finer = self
    self.bits = bits
    buckets = Self.merged(
      finer.buckets.map { Bucket(number: bucket(finer.least(ofBucket: $0.number)), count: $0.count) }, [])
    if values.count > (buckets.isEmpty ? Self.keptExactly(bits) : 0) { fold() } else { countMemory() }
  }

  /// The nearest-rank percentile in nanoseconds, `percent` from 0 to 100; nil without values.
  public func percentile(_ percent: Double) -> Int64? {
    guard count > 0 else { return nil }
    let rank = min(max(Int((percent / 100 * Double(count)).rounded(.up)), 1), count)
    guard !buckets.isEmpty else { return values.sorted()[rank - 1] }
    var folded = self
    folded.fold()
    var seen = 0
    for bucket in folded.buckets {
      seen += Int(bucket.count)
      if seen >= rank { return middle(ofBucket: bucket.number) }
    }
    return nil
  }

  /// Counts the durations up to each of some bounds, as a Prometheus histogram has them.
  ///
  /// The counts are as exact as percentiles: a duration in a bucket counts as the middle of the bucket.
  ///
  /// - Parameter bounds: Nanoseconds, in ascending order.
  /// - Returns: A count for each bound, in ascending order.
  package func counts(upTo bounds: [Int64]) -> [Int] {
    var counts = [Int](repeating: 0, count: bounds.count)
    func note(_ duration: Int64, _ count: Int) {
      if let index = bounds.firstIndex(where: { duration <= $0 }) { counts[index] += count }
    }
    for value in values { note(value, 1) }
    for bucket in buckets { note(middle(ofBucket: bucket.number), Int(bucket.count)) }
    for index in counts.indices.dropFirst() { counts[index] += counts[index - 1] }
    return counts
  }

  private mutating func add(toSum duration: Int64) {
    let (total, overflows) = sum.addingReportingOverflow(duration)
    sum = overflows ? .max : max(total, sum)
  }

  /// Values that are kept one by one up to this number.
  private static func keptExactly(_ bits: Int) -> Int { exactLimit >> (finestBits - bits) }

  /// Puts all values into buckets.
  private mutating func fold() {
    let sorted = values.map { Bucket(number: bucket($0), count: 1) }.sorted { $0.number < $1.number }
    let keeps = values.count <= min(Self.foldingLimit, Self.keptExactly(bits))
    valuesKept = keeps ? max(Int32(values.count), valuesKept) : 0
    values.removeAll(keepingCapacity: valuesKept > 0)
    buckets = Self.merged(buckets, sorted)
    countMemory()
  }

  /// Merges buckets. Both arrays are in order and may have several buckets of one number.
  private static func merged(_ a: [Bucket], _ b: [Bucket]) -> [Bucket] {
    var merged: [Bucket] = []
    merged.reserveCapacity(MemoryBudget.grown(max(a.count, b.count)))
    var (i, j) = (0, 0)
    while i < a.count || j < b.count {
      let next: Bucket
      if j == b.count || i < a.count && a[i].number <= b[j].number {
        next = a[i]
        i += 1
      } else {
        next = b[j]
        j += 1
      }
      if let last = merged.indices.last, merged[last].number == next.number,
        merged[last].count <= UInt32.max - next.count
      {
        merged[last].count += next.count
      } else {
        merged.append(next)
      }
    }
    return merged
  }

  private func bucket(_ duration: Int64) -> UInt16 {
    let magnitude = max(Int64.bitWidth - duration.leadingZeroBitCount - bits - 1, 0)
    return UInt16(magnitude << (bits + 1) | Int(duration >> Int64(magnitude)))
  }

  /// The smallest duration in a bucket.
  private func least(ofBucket bucket: UInt16) -> Int64 {
    Int64(bucket & ((1 << (bits + 1)) - 1)) << Int64(bucket >> (bits + 1))
  }

  private func middle(ofBucket bucket: UInt16) -> Int64 {
    least(ofBucket: bucket) + (Int64(1) << Int64(bucket >> (bits + 1))) / 2
  }
}
