import Packets

/// How many cells of a column are null, and between which values the others are: what readers pass over row groups by.
///
/// Numbers are ordered as such, texts by their octets.
struct ColumnStatistics {
  /// Octets of a text that stand in the statistics: the bounds of longer ones are near them.
  static let textLimit = 64

  private var nullCount = 0
  private var integers: (least: Int64, greatest: Int64)?
  private var least: [UInt8] = []
  private var greatest: [UInt8] = []
  private var hasText = false

  /// Notes nulls.
  mutating func noteNulls(_ count: Int) { nullCount += count }

  /// Notes a number.
  mutating func note(_ value: Int64) {
    integers = (min(integers?.least ?? value, value), max(integers?.greatest ?? value, value))
  }

  /// Notes a text.
  mutating func note(_ text: ArraySlice<UInt8>) {
    if !hasText {
      hasText = true
      (least, greatest) = (Array(text), Array(text))
    } else if Self.precedes(text, least[...]) {
      least = Array(text)
    } else if Self.precedes(greatest[...], text) {
      greatest = Array(text)
    }
  }

  /// Writes the fields of `Statistics`.
  func write(of column: ParquetColumn, to thrift: inout CompactWriter) {
    thrift.integer64(3, nullCount)
    if let integers {
      var (low, high): ([UInt8], [UInt8]) = ([], [])
      column.append(integers.least, to: &low)
      column.append(integers.greatest, to: &high)
      thrift.binary(5, high)
      thrift.binary(6, low)
      thrift.flag(7, true)
      thrift.flag(8, true)
    } else if hasText {
      let high = Self.upperBound(greatest)
      let low = Self.start(least)
      if let high { thrift.binary(5, high) }
      thrift.binary(6, low)
      if let high { thrift.flag(7, high.count == greatest.count && high == greatest) }
      thrift.flag(8, low.count == least.count)
    }
  }

  /// The start of a text, which is no greater than it, without half a character at the end.
  static func start(_ text: [UInt8]) -> [UInt8] {
    guard text.count > textLimit else { return text }
    var end = textLimit
    while end > 0, text[end] & 0xc0 == 0x80 { end -= 1 }
    return Array(text[..<end])
  }

  /// A short text that is no less than a long one; nil when there is none that is as easily found.
  static func upperBound(_ text: [UInt8]) -> [UInt8]? {
    guard text.count > textLimit else { return text }
    var bound = start(text)
    // The last character of ASCII that has one after it there becomes that one: what follows it does not matter then.
    while let last = bound.popLast() {
      if last < 0x7e { return bound + [last + 1] }
    }
    return nil
  }

  private static func precedes(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    a.lexicographicallyPrecedes(b)
  }
}
