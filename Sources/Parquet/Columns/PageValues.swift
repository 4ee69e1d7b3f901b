import Packets

/// The cells of one page of a column, in the order of their rows.
struct PageValues {
  /// For each row of an optional column: 1 for a value, 0 for a null.
  private(set) var levels: [UInt32] = []
  /// The number of rows, nulls included.
  private(set) var rowCount = 0
  /// The values of a column of numbers.
  private(set) var integers: [Int64] = []
  /// The octets of the values of a column of text, one value behind the other.
  private(set) var octets: [UInt8] = []
  /// The end of each text in `octets`.
  private(set) var ends: [Int] = []

  /// The number of rows with a value.
  var count: Int { integers.count + ends.count }

  /// Adds a null.
  mutating func appendNull() {
    levels.append(0)
    rowCount += 1
  }

  /// Adds a number.
  mutating func append(_ value: Int64, isOptional: Bool) {
    integers.append(value)
    if isOptional { levels.append(1) }
    rowCount += 1
  }

  /// Adds a text.
  mutating func append(_ text: RawSpan, isOptional: Bool) {
    text.append(0..<text.byteCount, to: &octets)
    ends.append(octets.count)
    if isOptional { levels.append(1) }
    rowCount += 1
  }

  /// The range of a text in `octets`.
  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// Removes all values and keeps the memory.
  mutating func removeAll() {
    levels.removeAll(keepingCapacity: true)
    rowCount = 0
    integers.removeAll(keepingCapacity: true)
    octets.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
