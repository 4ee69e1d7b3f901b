/// How far a log's clock is from the capture's.
///
/// Each row may be any message with its key; the right pairs agree on one offset, wrong ones on none. So the differences of
/// all possible pairs are taken, and the window with the most of them is where the offset is.
enum ClockOffset {
  /// Nanoseconds within which differences agree: an app notes its time before or after the octets are on the wire.
  static let window: Int64 = 2_000_000_000
  /// Pairs of one key that are looked at; a key with more says little about the offset.
  static let pairsPerKey = 10_000
  /// Pairs looked at in all.
  static let pairLimit = 2_000_000

  /// Log minus capture, in nanoseconds: the offset that most pairs agree on, of several the one closest to 0; nil without a
  /// pair that has times.
  static func estimate(_ groups: [(entries: [Int64], messages: [Range<Int64>])]) -> Int64? {
    var differences: [Int64] = []
    for group in groups.sorted(by: { $0.entries.count * $0.messages.count < $1.entries.count * $1.messages.count }) {
      guard differences.count < pairLimit, group.entries.count * group.messages.count <= pairsPerKey else { break }
      for time in group.entries {
        for span in group.messages { differences.append(distance(time, span)) }
      }
    }
    if differences.isEmpty {
      // Every key is too frequent: the n-th row is likely the n-th message.
      for group in groups {
        for (time, span) in zip(group.entries.sorted(), group.messages.sorted { $0.lowerBound < $1.lowerBound }) {
          differences.append(distance(time, span))
        }
      }
    }
    return densest(differences.sorted())
  }

  /// Time from the message to `time`: 0 while the message is being transferred.
  private static func distance(_ time: Int64, _ span: Range<Int64>) -> Int64 {
    if time < span.lowerBound { return time - span.lowerBound }
    return time > span.upperBound ? time - span.upperBound : 0
  }

  /// The middle of where most differences lie: in the window with the most of them the smaller one with the most, and so on,
  /// because requests that are made again and again give wrong pairs next to the right ones.
  private static func densest(_ sorted: [Int64]) -> Int64? {
    guard !sorted.isEmpty else { return nil }
    var range = sorted[...]
    for width in [window, window / 8, window / 64, window / 512] { range = densest(range, width) }
    return range[range.startIndex + range.count / 2]
  }

  /// The part of `sorted` no wider than `width` that has the most of it; of several the one closest to 0.
  private static func densest(_ sorted: ArraySlice<Int64>, _ width: Int64) -> ArraySlice<Int64> {
    var best = sorted.prefix(0)
    var end = sorted.startIndex
    for start in sorted.indices {
      while end < sorted.endIndex, sorted[end] - sorted[start] <= width { end += 1 }
      let part = sorted[start..<end]
      if part.count > best.count || part.count == best.count && middle(part) < middle(best) { best = part }
    }
    return best
  }

  /// How far the middle is from 0.
  private static func middle(_ part: ArraySlice<Int64>) -> UInt64 { part[part.startIndex + part.count / 2].magnitude }
}
