import HTTPReassembly

/// The octets of one row, built without an allocation per cell and reused from row to row.
struct RowBuffer {
  /// Memory for the row; only the first `count` octets mean anything. Longer than any usual row; a longer one
  /// makes it grow.
  private var memory = [UInt8](repeating: 0, count: 1024)
  private var count = 0
  /// Text on its way to be appended, kept for its memory.
  private var escaped: [UInt8] = []

  /// What was appended since `clear`. To be let go of before more is appended, or the memory is copied.
  var octets: ArraySlice<UInt8> { memory[..<count] }

  /// How many they are.
  var length: Int { count }

  /// Starts over, keeping the memory.
  mutating func clear() { count = 0 }

  /// Appends one octet.
  mutating func append(_ octet: UInt8) {
    reserve(1)
    memory[count] = octet
    count += 1
  }

  /// Appends octets as they are.
  mutating func append(_ text: [UInt8]) {
    reserve(text.count)
    var end = count
    var target = memory.mutableSpan
    for octet in text {
      target[end] = octet
      end += 1
    }
    count = end
  }

  /// Appends octets as they are if all of them are plain (`TextEscaping.isPlain`), else nothing.
  mutating func appendPlain(_ text: [UInt8]) -> Bool {
    reserve(text.count)
    var end = count
    var target = memory.mutableSpan
    for octet in text {
      guard TextEscaping.isPlain(octet) else { return false }
      target[end] = octet
      end += 1
    }
    count = end
    return true
  }

  /// Appends text from the wire, escaped; with `doublingQuotes`, each `"` twice.
  mutating func appendEscaped(_ text: [UInt8], doublingQuotes: Bool = false) {
    escaped.removeAll(keepingCapacity: true)
    TextEscaping.append(text, doublingQuotes: doublingQuotes, to: &escaped)
    append(escaped)
  }

  /// Appends text from the wire, escaped, and as what stands between the quotes of a JSON string (RFC 8259 §7). No
  /// control character is left by then.
  mutating func appendEscapedForJSON(_ text: [UInt8]) {
    escaped.removeAll(keepingCapacity: true)
    TextEscaping.append(text, to: &escaped)
    for octet in escaped {
      if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(octet)
    }
  }

  /// Appends a text of our own as it is.
  mutating func append(_ text: String) {
    reserve(text.utf8.count)
    var end = count
    var target = memory.mutableSpan
    for octet in text.utf8 {
      target[end] = octet
      end += 1
    }
    count = end
  }

  /// Appends an integer in decimal.
  mutating func append(_ integer: Int) {
    if integer < 0 { append(UInt8(ascii: "-")) }
    appendDecimal(UInt64(integer.magnitude))
  }

  /// Appends a duration in nanoseconds as milliseconds: exact, with up to six decimals and no trailing zeros.
  mutating func appendMilliseconds(_ nanoseconds: Int64) {
    if nanoseconds < 0 { append(UInt8(ascii: "-")) }
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    appendDecimal(whole)
    guard rest > 0 else { return }
    append(UInt8(ascii: "."))
    var remainder = rest
    var unit: UInt64 = 100_000
    while remainder > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder / unit))
      remainder %= unit
      unit /= 10
    }
  }

  /// Appends a number given in thousandths: exact, with up to three decimals and no trailing zeros.
  mutating func appendThousandths(_ value: Int) {
    let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1000)
    if value < 0 { append(UInt8(ascii: "-")) }
    append(Int(whole))
    guard rest > 0 else { return }
    var digits = Array(String(1000 + rest).utf8.dropFirst())
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    append([UInt8(ascii: ".")] + digits)
  }

  /// Appends the names of the bits that are set, separated by spaces.
  mutating func append(flags bits: UInt64, names: [String]) {
    var rest = bits
    var isFirst = true
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      guard bit < names.count else { break }
      if !isFirst { append(UInt8(ascii: " ")) }
      isFirst = false
      append(names[bit])
    }
  }

  /// Takes away the last octet, if there is one.
  mutating func removeLast() { count = max(count - 1, 0) }

  private mutating func appendDecimal(_ magnitude: UInt64) {
    var length = 1
    var bound: UInt64 = 10
    while magnitude >= bound {
      length += 1
      let (next, overflows) = bound.multipliedReportingOverflow(by: 10)
      if overflows { break }
      bound = next
    }
    reserve(length)
    let end = count + length
    var position = end
    var rest = magnitude
    // From the last digit, so that every division is by a constant.
    var target = memory.mutableSpan
    repeat {
      position -= 1
      target[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    count = end
  }

  @inline(__always)
  private mutating func reserve(_ length: Int) {
    if memory.count - count < length { grow(length) }
  }

  private mutating func grow(_ length: Int) {
    memory += Array(repeating: 0, count: max(memory.count, length))
  }
}
