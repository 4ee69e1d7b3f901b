/// How the cells of `apis` are read, whatever they are stored in. A report may have been changed by anyone.
enum ReportedCell {
  /// The longest text: no report has one that comes near it.
  static let longestText = 1 << 20

  /// A count, from digits.
  static func count(_ text: ArraySlice<UInt8>, _ column: APIColumn) throws(RowFault) -> Int {
    guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(String(decoding: text, as: UTF8.self))
    else { throw RowFault("\(column.rawValue) is no whole number from 0 on") }
    return try checked(value, column)
  }

  /// A count within its limits.
  static func checked(_ value: Int, _ column: APIColumn) throws(RowFault) -> Int {
    guard (0...column.limit).contains(value) else {
      throw RowFault("\(column.rawValue) is not between 0 and \(column.limit)")
    }
    return value
  }

  /// A duration in milliseconds; nil when the cell is empty.
  static func milliseconds(_ text: ArraySlice<UInt8>, _ column: String) throws(RowFault) -> Int64? {
    if text.isEmpty { return nil }
    let isPlain = text.count <= 32 && text.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, let value = Double(String(decoding: text, as: UTF8.self)) else {
      throw RowFault("\(column) is no number of milliseconds")
    }
    return try nanoseconds(value, column)
  }

  /// A duration in milliseconds as nanoseconds.
  static func nanoseconds(_ milliseconds: Double, _ column: String) throws(RowFault) -> Int64 {
    guard milliseconds.isFinite, (0...1e12).contains(milliseconds) else {
      throw RowFault("\(column) is no number of milliseconds")
    }
    return Int64((milliseconds * 1_000_000).rounded())
  }
}
