import HTTPReassembly

/// Appends the octets of one row, without an allocation or a copy per cell, and is reused from row to row.
///
/// Rows are a large part of what a run costs, so that cells are written where they will stand. Unsafe only in that:
/// `OctetBuffer.write` has made room for as many octets as each use says.
struct RowBuffer: ~Copyable {
  /// Longer than any usual row.
  private var memory = OctetBuffer(capacity: 1024)
  /// For `append(_: Endpoint)`.
  private var recentEndpoints = RecentEndpoints()
  /// Text on its way to be appended, kept for its memory.
  private var escaped: [UInt8] = []

  /// A copy of what was appended since `clear`.
  var octets: [UInt8] {
    var copy: [UInt8] = []
    withOctets { $0.append(0..<$0.byteCount, to: &copy) }
    return copy
  }

  /// Lends what was appended since `clear`.
  @inline(__always)
  func withOctets<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
    try memory.withOctets(body)
  }

  /// How many octets they are.
  var length: Int { memory.count }

  /// Starts over, keeping the memory.
  mutating func clear() { memory.removeAll() }

  /// Appends one octet.
  @inline(__always)
  mutating func append(_ octet: UInt8) { memory.append(octet) }

  /// Appends octets as they are.
  mutating func append(_ text: [UInt8]) { text.withOctets { memory.append($0) } }

  /// Appends octets as they are, and one more after them, if all of them are plain (`PlainText`), else nothing.
  @inline(__always)
  mutating func appendPlain(_ text: RawSpan, then last: UInt8? = nil) -> Bool {
    let length = text.byteCount
    var isPlain = true
    unsafe memory.write(atMost: length + 1) { target in
      isPlain = unsafe text.copyPlainText(to: target)
      guard isPlain else { return 0 }
      guard let last else { return length }
      unsafe target[length] = last
      return length + 1
    }
    return isPlain
  }

  /// Appends text from the wire, escaped; with `doublingQuotes`, each `"` twice.
  mutating func appendEscaped(_ text: RawSpan, doublingQuotes: Bool = false) {
    escaped.removeAll(keepingCapacity: true)
    TextEscaping.append(text, doublingQuotes: doublingQuotes, to: &escaped)
    escaped.withOctets { memory.append($0) }
  }

  /// Appends text from the wire, escaped, and as what stands between the quotes of a JSON string (RFC 8259 §7). No
  /// control character is left by then.
  mutating func appendEscapedForJSON(_ text: RawSpan) {
    escaped.removeAll(keepingCapacity: true)
    TextEscaping.append(text, to: &escaped)
    for octet in escaped {
      if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(octet)
    }
  }

  /// Appends a text of our own as it is.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { source in
      unsafe memory.write(atMost: source.count) { target in
        for index in source.indices { unsafe target[index] = source[index] }
        return source.count
      }
    }
  }

  /// Appends a text of the program's own as it is, and one octet after it.
  @inline(__always)
  mutating func append(_ text: StaticString, then last: UInt8? = nil) {
    let length = text.utf8CodeUnitCount
    unsafe memory.write(atMost: length + 1) { target in
      unsafe UnsafeMutableRawPointer(target).copyMemory(from: text.utf8Start, byteCount: length)
      guard let last else { return length }
      unsafe target[length] = last
      return length + 1
    }
  }

  /// Appends `address:port`, with IPv6 addresses in brackets.
  mutating func append(_ endpoint: Endpoint) {
    if let text = recentEndpoints.place(of: endpoint) {
      return recentEndpoints.texts.withOctets { memory.append($0.extracting(text)) }
    }
    let start = length
    write(endpoint)
    memory.withOctets { recentEndpoints.remember($0.extracting(start..<$0.byteCount), of: endpoint) }
  }

  /// Appends an integer in decimal, and one octet after it.
  @inline(__always)
  mutating func append(_ integer: Int, then last: UInt8? = nil) {
    unsafe memory.write(atMost: Self.integerRoom) { target in
      let length = unsafe Self.write(integer, at: target)
      guard let last else { return length }
      unsafe target[length] = last
      return length + 1
    }
  }

  /// Appends integers in decimal, and an octet after each.
  @inline(__always)
  mutating func append<let count: Int>(_ integers: InlineArray<count, Int>, each last: UInt8) {
    unsafe memory.write(atMost: count * Self.integerRoom) { target in
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
    unsafe memory.write(atMost: 1 + Decimal.room + 1 + Decimal.room) { target in
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
  @inline(__always)
  mutating func removeLast() { memory.shorten(to: max(length - 1, 0)) }
}
