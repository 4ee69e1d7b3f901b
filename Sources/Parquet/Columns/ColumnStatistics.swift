import Packets

/// The number of null cells of a column, and the bounds of the others. Readers use them to skip row groups.
///
/// Numbers are ordered by value, texts by their octets.
struct ColumnStatistics {
  /// Octets of a text in the statistics; bounds of longer texts are approximate.
  static let textLimit = 64

  private var nullCount = 0
  private var integers: (least: Int64, greatest: Int64)?
  private var least: [UInt8] = []
  private var greatest: [UInt8] = []
  private var hasText = false

  /// Counts nulls.
  mutating func noteNulls(_ count: Int) { nullCount += count }

  /// Takes a number.
  mutating func note(_ value: Int64) {
    integers = (min(integers?.least ?? value, value), max(integers?.greatest ?? value, value))
  }

  /// Takes a text.
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

  /// The start of a text, without an incomplete character at its end. It is never greater than the text.
  static func start(_ text: [UInt8]) -> [UInt8] {
    guard text.count > textLimit else { return text }
    var end = textLimit
    while end > 0, text[end] & 0xc0 == 0x80 { end -= 1 }
    return Array(text[..<end])
  }

  /// A short text that is not less than a long one; nil if no simple one exists.
  static func upperBound(_ text: [UInt8]) -> [UInt8]? {
    guard text.count > textLimit else { return text }
    var bound = start(text)
    // The last ASCII character that has a successor is replaced by it, and the rest is cut.
    while let last = bound.popLast() {
      if last < 0x7e { return bound + [last + 1] }
    }
    return nil
  }

  private static func precedes(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    a.lexicographicallyPrecedes(b)
  }
}
