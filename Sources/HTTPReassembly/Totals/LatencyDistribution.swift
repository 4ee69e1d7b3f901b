/// Durations, for percentiles: exact up to `exactLimit` values, then within 1/128 of the true value in memory that does not grow
/// further. `coarsen` takes less memory and knows less: half as many values exactly, and the rest half as well, with each step.
public struct LatencyDistribution: Sendable {
  /// Values kept one by one before they are folded into buckets. 512 values are 4 KiB an API.
  static let exactLimit = 512
  /// Values that wait to be folded once there are buckets: to find a bucket for each as it comes took longer than all else
  /// that is done for an API.
  private static let foldingLimit = 128
  /// The most bits behind the first one that tell the buckets of durations apart.
  package static let finestBits = 7

  /// How many durations have the same leading bits and exponent, which `number` says.
  private struct Bucket {
    var number: UInt16
    var count: UInt32
  }

  /// Values that are in no bucket.
  private var values: [Int64] = []
  /// Values that there is room for since the last ones were folded.
  private var valuesKept = 0
  /// By number, once there have been more values than are kept exactly; several of one number where one cannot count so far.
  private var buckets: [Bucket] = []
  /// Bits behind the first one that tell buckets apart, from 0 to `finestBits`.
  private(set) var bits: Int
  /// Durations recorded.
  public private(set) var count = 0
  /// Their sum in nanoseconds; it stops at the largest number.
  public private(set) var sum: Int64 = 0

  package init() { bits = Self.finestBits }

  /// An empty one that was coarsened before.
  package init(bits: Int) { self.bits = bits }

  /// Octets of memory beside its own.
  ///
  /// They follow from the counts alone. An array's capacity is what the allocator happened to have, and the same capture gives
  /// the same percentiles whatever was allocated before.
  package var memory: Int {
    Self.reserved(max(values.count, valuesKept)) * MemoryLayout<Int64>.stride
      + Self.reserved(buckets.count) * MemoryLayout<Bucket>.stride
  }

  /// Elements that an array of `count` has room for as it grows: the next power of two.
  private static func reserved(_ count: Int) -> Int {
    count < 2 ? count : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
  }

  /// Adds one duration in nanoseconds; a negative one counts as 0.
  package mutating func record(_ duration: Int64) {
    count += 1
    let duration = max(duration, 0)
    add(toSum: duration)
    values.append(duration)
    if values.count >= (buckets.isEmpty ? keptExactly + 1 : min(Self.foldingLimit, keptExactly)) { fold() }
  }

  /// Adds the durations of another distribution, and knows no more than the coarser one.
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
  }

  /// Takes less memory from now on: buckets are told apart by at most `bits` bits, from 0 to `finestBits`.
  package mutating func coarsen(to bits: Int) {
    guard bits < self.bits else { return }
    let finer = self
    self.bits = bits
    buckets = Self.merged(
      finer.buckets.map { Bucket(number: bucket(finer.least(ofBucket: $0.number)), count: $0.count) }, [])
    if values.count > (buckets.isEmpty ? keptExactly : 0) { fold() }
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

  /// How many durations are at most as long as each of some bounds, as a histogram of Prometheus has it.
  ///
  /// Bounds are as exact as percentiles are: of a duration that is known by its bucket only, the middle of the bucket counts.
  ///
  /// - Parameter bounds: Nanoseconds, in order.
  /// - Returns: A count for each bound, none less than the one before.
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

  /// Values that are kept one by one while there are no more.
  private var keptExactly: Int { Self.exactLimit >> (Self.finestBits - bits) }

  /// Puts all values into buckets.
  private mutating func fold() {
    let sorted = values.map { Bucket(number: bucket($0), count: 1) }.sorted { $0.number < $1.number }
    valuesKept = values.count <= min(Self.foldingLimit, keptExactly) ? max(values.count, valuesKept) : 0
    values.removeAll(keepingCapacity: valuesKept > 0)
    buckets = Self.merged(buckets, sorted)
  }

  /// The buckets of both, each of which is in order and may have several of one number.
  private static func merged(_ a: [Bucket], _ b: [Bucket]) -> [Bucket] {
    var merged: [Bucket] = []
    merged.reserveCapacity(reserved(max(a.count, b.count)))
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

  /// The least duration in a bucket.
  private func least(ofBucket bucket: UInt16) -> Int64 {
    Int64(bucket & ((1 << (bits + 1)) - 1)) << Int64(bucket >> (bits + 1))
  }

  private func middle(ofBucket bucket: UInt16) -> Int64 {
    least(ofBucket: bucket) + (Int64(1) << Int64(bucket >> (bits + 1))) / 2
  }
}
