/// Durations, for percentiles: exact up to `exactLimit` values, then within 1/128 of the true value in
/// memory that does not grow further.
public struct LatencyDistribution: Sendable {
  /// Values kept one by one before they are folded into buckets. 512 values are 4 KiB an API.
  static let exactLimit = 512
  /// Values that wait to be folded once there are buckets: to find a bucket for each as it comes took longer than all else
  /// that is done for an API.
  private static let foldingLimit = 128
  private static let subBucketBits = 7

  /// How many durations have the same leading `subBucketBits + 1` significant bits and exponent, which `number` says.
  private struct Bucket {
    var number: Int
    var count: Int
  }

  /// Values that are in no bucket.
  private var values: [Int64] = []
  /// By number, once there have been more than `exactLimit` values.
  private var buckets: [Bucket] = []
  /// Durations recorded.
  public private(set) var count = 0

  package init() {}

  /// Adds one duration in nanoseconds; a negative one counts as 0.
  package mutating func record(_ duration: Int64) {
    count += 1
    values.append(max(duration, 0))
    if values.count >= (buckets.isEmpty ? Self.exactLimit + 1 : Self.foldingLimit) { fold() }
  }

  /// Adds the durations of another distribution.
  package mutating func merge(_ other: LatencyDistribution) {
    for value in other.values { record(value) }
    guard !other.buckets.isEmpty else { return }
    fold()
    buckets = Self.merged(buckets, other.buckets)
    count += other.count - other.values.count
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
      seen += bucket.count
      if seen >= rank { return Self.middle(ofBucket: bucket.number) }
    }
    return nil
  }

  /// Puts all values into buckets.
  private mutating func fold() {
    let sorted = values.map { Bucket(number: Self.bucket($0), count: 1) }.sorted { $0.number < $1.number }
    values.removeAll(keepingCapacity: values.count <= Self.foldingLimit)
    buckets = Self.merged(buckets, sorted)
  }

  /// The buckets of both, each of which is in order and may have several of one number.
  private static func merged(_ a: [Bucket], _ b: [Bucket]) -> [Bucket] {
    var merged: [Bucket] = []
    merged.reserveCapacity(a.count + b.count)
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
      if let last = merged.indices.last, merged[last].number == next.number {
        merged[last].count += next.count
      } else {
        merged.append(next)
      }
    }
    return merged
  }

  private static func bucket(_ duration: Int64) -> Int {
    let magnitude = max(Int64.bitWidth - duration.leadingZeroBitCount - subBucketBits - 1, 0)
    return magnitude << (subBucketBits + 1) | Int(duration >> Int64(magnitude))
  }

  private static func middle(ofBucket bucket: Int) -> Int64 {
    let magnitude = Int64(bucket >> (subBucketBits + 1))
    let mantissa = Int64(bucket & ((1 << (subBucketBits + 1)) - 1))
    return mantissa << magnitude + (Int64(1) << magnitude) / 2
  }
}
