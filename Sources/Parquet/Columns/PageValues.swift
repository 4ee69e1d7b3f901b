import Packets

/// The cells of one page of a column, in the order of their rows.
struct PageValues {
  /// Of each row of a column that has nulls, 1 for a value and 0 for none.
  private(set) var levels: [UInt32] = []
  /// Rows, those without a value included.
  private(set) var rowCount = 0
  /// The values, of a column of numbers.
  private(set) var integers: [Int64] = []
  /// The octets of the values, one behind the other, of a column of text.
  private(set) var octets: [UInt8] = []
  /// Where each text ends.
  private(set) var ends: [Int] = []

  /// Rows with a value.
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

  /// Where a text stands in `octets`.
  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// Forgets everything and keeps the memory.
  mutating func removeAll() {
    levels.removeAll(keepingCapacity: true)
    rowCount = 0
    integers.removeAll(keepingCapacity: true)
    octets.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
