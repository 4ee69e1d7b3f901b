import DequeModule

/// The numbers that rows of one shard have in the whole analysis, by the numbers that they have in the shard: those that an open row may still
/// refer to.
struct NumberWindow {
  /// The shard's number of the first one that is known.
  private var first = 1
  private var numbers: Deque<UInt32> = []

  /// The next numbers of the shard are these.
  @inline(__always)
  mutating func append(_ new: Range<Int>) {
    for number in new { numbers.append(UInt32(truncatingIfNeeded: number)) }
  }

  /// The number in the whole analysis; 0 stands for none.
  @inline(__always)
  subscript(number: Int) -> Int { number == 0 ? 0 : Int(numbers[number &- first]) }

  /// No row refers to numbers before this one any more.
  mutating func forget(before number: Int) {
    let count = min(max(number - first, 0), numbers.count)
    numbers.removeFirst(count)
    first += count
  }
}
