import HTTPReassembly

/// The names of fields, in lower case, each with a small number.
struct FieldNames {
  /// By number. 0 stands for all that came after the limit, that are too long, or that are no names.
  private(set) var names: [[UInt8]] = [[]]
  private var numbers: [[UInt8]: Int] = [:]

  /// The number of the name that is at `range` of a field line; names are case-insensitive (RFC 9110 §5.1).
  mutating func number(of range: Range<Int>?, in line: RawSpan) -> Int {
    guard let range, range.count <= PageLimits.fieldNameLength else { return 0 }
    var name: [UInt8] = []
    line.append(range, to: &name)
    for index in name.indices where name[index] &- UInt8(ascii: "A") < 26 { name[index] |= 0x20 }
    if let number = numbers[name] { return number }
    guard names.count <= PageLimits.fieldNames else { return 0 }
    numbers[name] = names.count
    names.append(name)
    return names.count - 1
  }
}
