import HTTPReassembly

/// The octets of one row, built without an allocation per cell and reused from row to row.
///
/// Rows are a large part of what a run costs, so that this file writes into the memory of its array without a check per
/// octet: every use of unsafe memory here goes through `write`, which makes room first and checks what was written after.
struct RowBuffer {
  /// Memory for the row; only the first `count` octets mean anything. Longer than any usual row; a longer one
  /// makes it grow.
  private var memory = [UInt8](repeating: 0, count: 1024)
  private var count = 0
  /// For `append(_: Endpoint)`.
  var recentEndpoints = RecentEndpoints()
  /// Text on its way to be appended, kept for its memory.
  private var escaped: [UInt8] = []

  /// What was appended since `clear`. To be let go of before more is appended, or the memory is copied.
  var octets: ArraySlice<UInt8> { memory[..<count] }

  /// How many they are.
  var length: Int { count }

  /// Starts over, keeping the memory.
  mutating func clear() { count = 0 }

  /// Appends one octet.
  @inline(__always)
  mutating func append(_ octet: UInt8) {
    if memory.count == count { grow(1) }
    memory[count] = octet
    count += 1
  }

  /// Appends octets as they are, and one more after them.
  mutating func append(_ text: [UInt8], then last: UInt8? = nil) {
    unsafe write(atMost: text.count + 1) { target in
      unsafe text.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(start: target, count: source.count).copyMemory(from: source)
      }
      guard let last else { return text.count }
      unsafe target[text.count] = last
      return text.count + 1
    }
  }

  /// Appends octets as they are, and one more after them, if all of them are plain (`PlainText`), else nothing.
  @inline(__always)
  mutating func appendPlain(_ text: [UInt8], then last: UInt8? = nil) -> Bool {
    var isPlain = true
    unsafe write(atMost: text.count + 1) { target in
      isPlain = text.withOctets { unsafe $0.copyPlainText(to: target) }
      guard isPlain else { return 0 }
      guard let last else { return text.count }
      unsafe target[text.count] = last
      return text.count + 1
    }
    return isPlain
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

  /// Appends a text of our own as it is, and one octet after it.
  mutating func append(_ text: String, then last: UInt8? = nil) {
    var text = text
    text.withUTF8 { source in
      unsafe write(atMost: source.count + 1) { target in
        for index in source.indices { unsafe target[index] = source[index] }
        guard let last else { return source.count }
        unsafe target[source.count] = last
        return source.count + 1
      }
    }
  }

  /// Appends an integer in decimal, and one octet after it.
  @inline(__always)
  mutating func append(_ integer: Int, then last: UInt8? = nil) {
    unsafe write(atMost: Self.integerRoom) { target in
      let length = unsafe Self.write(integer, at: target)
      guard let last else { return length }
      unsafe target[length] = last
      return length + 1
    }
  }

  /// Appends integers in decimal, and an octet after each.
  @inline(__always)
  mutating func append<let count: Int>(_ integers: InlineArray<count, Int>, each last: UInt8) {
    unsafe write(atMost: count * Self.integerRoom) { target in
      var length = 0
      for index in integers.indices {
        length += unsafe Self.write(integers[index], at: target + length)
        unsafe target[length] = last
        length += 1
      }
      return length
    }
  }

  /// A sign, digits, and an octet after them.
  private static var integerRoom: Int { Decimal.room + 2 }

  /// Writes an integer in decimal. Returns how many octets mean anything.
  @inline(__always)
  private static func write(_ integer: Int, at target: UnsafeMutablePointer<UInt8>) -> Int {
    guard integer < 0 else { return unsafe Decimal.write(UInt64(integer), at: target) }
    unsafe target[0] = UInt8(ascii: "-")
    return unsafe 1 + Decimal.write(UInt64(integer.magnitude), at: target + 1)
  }

  /// Appends a duration in nanoseconds as milliseconds: exact, with up to six decimals and no trailing zeros.
  mutating func appendMilliseconds(_ nanoseconds: Int64) {
    appendFraction(UInt64(nanoseconds.magnitude), isNegative: nanoseconds < 0, unit: 1_000_000, digits: 6)
  }

  /// Appends a number given in thousandths: exact, with up to three decimals and no trailing zeros.
  mutating func appendThousandths(_ value: Int) {
    appendFraction(UInt64(value.magnitude), isNegative: value < 0, unit: 1000, digits: 3)
  }

  @inline(__always)
  private mutating func appendFraction(_ magnitude: UInt64, isNegative: Bool, unit: UInt64, digits: Int) {
    let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: unit)
    unsafe write(atMost: 1 + Decimal.room + 1 + Decimal.room) { target in
      var length = 0
      if isNegative {
        unsafe target[0] = UInt8(ascii: "-")
        length = 1
      }
      length += unsafe Decimal.write(whole, at: target + length)
      guard rest > 0 else { return length }
      unsafe target[length] = UInt8(ascii: ".")
      length += 1
      unsafe Decimal.writeEight(rest, skipping: 8 - digits, at: target + length)
      length += digits
      while unsafe target[length - 1] == UInt8(ascii: "0") { length -= 1 }
      return length
    }
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

  /// Lets `body` write at most `length` octets at the end, and takes as many of them as it says.
  @inline(__always)
  private mutating func write(atMost length: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    if memory.count - count < length { grow(length) }
    let start = count
    let written = unsafe memory.withUnsafeMutableBufferPointer { buffer in
      // The array has over a thousand octets from the start, so that it always has an address.
      unsafe buffer.baseAddress.map { unsafe body($0 + start) } ?? 0
    }
    precondition(written >= 0 && written <= length)
    count = start + written
  }

  @inline(never)
  private mutating func grow(_ length: Int) {
    memory += Array(repeating: 0, count: max(memory.count, length))
  }
}
