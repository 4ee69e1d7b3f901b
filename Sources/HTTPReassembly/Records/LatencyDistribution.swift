/// Durations, for percentiles: exact up to `exactLimit` values, then within 1/128 of the true value in
/// memory that does not grow further.
public struct LatencyDistribution: Sendable {
  /// Values kept one by one before they are folded into buckets. 512 values are 4 KiB an API.
  static let exactLimit = 512
  private static let subBucketBits = 7

  private var values: [Int64] = []
  /// Counts by bucket, once there are more than `exactLimit` values: bucket `b` holds durations whose leading
  /// `subBucketBits + 1` significant bits and exponent are `b`.
  private var buckets: [Int: Int] = [:]
  /// Durations recorded.
  public private(set) var count = 0

  package init() {}

  /// Adds one duration in nanoseconds; a negative one counts as 0.
  package mutating func record(_ duration: Int64) {
    let duration = max(duration, 0)
    count += 1
    guard buckets.isEmpty else {
      buckets[Self.bucket(duration), default: 0] += 1
      return
    }
    values.append(duration)
    guard values.count > Self.exactLimit else { return }
    for value in values { buckets[Self.bucket(value), default: 0] += 1 }
    values = []
  }

  /// Adds the durations of another distribution.
  package mutating func merge(_ other: LatencyDistribution) {
    if other.buckets.isEmpty {
      for value in other.values { record(value) }
      return
    }
    for value in values { buckets[Self.bucket(value), default: 0] += 1 }
    values = []
    for (bucket, number) in other.buckets { buckets[bucket, default: 0] += number }
    count += other.count
  }

  /// The nearest-rank percentile in nanoseconds, `percent` from 0 to 100; nil without values.
  public func percentile(_ percent: Double) -> Int64? {
    guard count > 0 else { return nil }
    let rank = min(max(Int((percent / 100 * Double(count)).rounded(.up)), 1), count)
    guard !buckets.isEmpty else { return values.sorted()[rank - 1] }
    var seen = 0
    for (bucket, count) in buckets.sorted(by: { $0.key < $1.key }) {
      seen += count
      if seen >= rank { return Self.middle(ofBucket: bucket) }
    }
    return nil
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
