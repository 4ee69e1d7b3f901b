/// The form of numbers for people. Reports for programs have them plain (`RowBuffer`).
package enum Numerals {
  /// An integer with a comma between groups of three digits.
  package static func grouped(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var result = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return result
  }

  /// A share with one decimal; a share that is not 0 never looks like 0.
  package static func percent(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "" }
    let tenths = Int((Double(part) / Double(whole) * 1000).rounded())
    if tenths == 0, part > 0 { return "<0.1%" }
    return "\(tenths / 10).\(tenths % 10)%"
  }

  /// An integer with its sign; 0 has none.
  package static func signed(_ value: Int) -> String { value > 0 ? "+" + grouped(value) : grouped(value) }

  /// A mean with its sign and one decimal; empty for no values.
  package static func mean(_ sum: Int, of count: Int) -> String {
    guard count > 0 else { return "" }
    let tenths = (Double(sum) / Double(count) * 10).rounded()
    // A mean that is not 0 never looks like 0; and for huge numbers a decimal tells nothing.
    if tenths == 0, sum != 0 { return sum > 0 ? "+<0.1" : "-<0.1" }
    guard abs(tenths) < 1e15 else { return signed(sum / count) }
    let (whole, rest) = Int(abs(tenths)).quotientAndRemainder(dividingBy: 10)
    return (tenths > 0 ? "+" : tenths < 0 ? "-" : "") + "\(grouped(whole)).\(rest)"
  }

  /// A share with its sign and one decimal; empty for a whole of 0.
  package static func signedPercent(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "" }
    if part == 0 { return "0.0%" }
    guard part.magnitude < 1 << 50 else { return part > 0 ? "+>" : "-<" }
    return (part > 0 ? "+" : "-") + percent(abs(part), of: whole)
  }
}

/// Octets in the decimal units of storage and data plans, with about three digits: for display, never for a report.
package enum ByteCount {
  package static func text(_ bytes: Double) -> String {
    var value = bytes
    for unit in ["B", "kB", "MB", "GB", "TB"] {
      if value < 999.5 {
        let tenths = Int((value * 10).rounded())
        let isWhole = unit == "B" || tenths >= 100
        return isWhole ? "\(Int(value.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
      }
      value /= 1000
    }
    return value < 1000 ? "\(Int(value.rounded())) PB" : "many PB"
  }
}
