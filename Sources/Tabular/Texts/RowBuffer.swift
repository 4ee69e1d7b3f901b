import Packets

/// Appends the octets of one row, without an allocation or a copy per cell, and is reused from row to row.
///
/// Rows are a large part of what a run costs, so that cells are written where they will stand. Unsafe only in that:
/// `OctetBuffer.write` has made room for as many octets as each use says.
package struct RowBuffer: ~Copyable {
  /// Longer than any usual row.
  private var memory = OctetBuffer(capacity: 1024)
  /// For `append(_: Endpoint)`.
  private var recentEndpoints = RecentEndpoints()
  /// Text on its way to be appended, kept for its memory.
  private var escaped: [UInt8] = []

  /// An empty row.
  package init() {}

  /// A copy of what was appended since `clear`.
  package var octets: [UInt8] {
    var copy: [UInt8] = []
    withOctets { $0.append(0..<$0.byteCount, to: &copy) }
    return copy
  }

  /// Lends what was appended since `clear`.
  @inline(__always)
  package func withOctets<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
  {
    try memory.withOctets(body)
  }

  /// How many octets they are.
  package var length: Int { memory.count }

  /// Starts over, keeping the memory.
  package mutating func clear() { memory.removeAll() }

  /// Appends one octet.
  @inline(__always)
  package mutating func append(_ octet: UInt8) { memory.append(octet) }

  /// Appends octets as they are.
  package mutating func append(_ text: [UInt8]) { text.withOctets { memory.append($0) } }

  /// Appends octets as they are, and one more after them, if all of them are plain (`PlainText`), else nothing.
  @inline(__always)
  package mutating func appendPlain(_ text: RawSpan, then last: UInt8? = nil) -> Bool {
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
  package mutating func appendEscaped(_ text: RawSpan, doublingQuotes: Bool = false) {
    escaped.removeAll(keepingCapacity: true)
    TextEscaping.append(text, doublingQuotes: doublingQuotes, to: &escaped)
    escaped.withOctets { memory.append($0) }
  }

  /// Appends text from the wire, escaped, and as what stands between the quotes of a JSON string (RFC 8259 §7). No
  /// control character is left by then.
  package mutating func appendEscapedForJSON(_ text: RawSpan) {
    escaped.removeAll(keepingCapacity: true)
    TextEscaping.append(text, to: &escaped)
    for octet in escaped {
      if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(octet)
    }
  }

  /// Appends a text of our own as it is.
  package mutating func append(_ text: String) {
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
  package mutating func append(_ text: StaticString, then last: UInt8? = nil) {
    let length = text.utf8CodeUnitCount
    unsafe memory.write(atMost: length + 1) { target in
      unsafe UnsafeMutableRawPointer(target).copyMemory(from: text.utf8Start, byteCount: length)
      guard let last else { return length }
      unsafe target[length] = last
      return length + 1
    }
  }

  /// Appends `address:port`, with IPv6 addresses in brackets.
  package mutating func append(_ endpoint: Endpoint) {
    if let text = recentEndpoints.place(of: endpoint) {
      return recentEndpoints.texts.withOctets { memory.append($0.extracting(text)) }
    }
    let start = length
    write(endpoint)
    memory.withOctets { recentEndpoints.remember($0.extracting(start..<$0.byteCount), of: endpoint) }
  }

  /// Appends an integer in decimal, and one octet after it.
  @inline(__always)
  package mutating func append(_ integer: Int, then last: UInt8? = nil) {
    unsafe memory.write(atMost: Self.integerRoom) { target in
      let length = unsafe Self.write(integer, at: target)
      guard let last else { return length }
      unsafe target[length] = last
      return length + 1
    }
  }

  /// Appends integers in decimal, and an octet after each.
  @inline(__always)
  package mutating func append<let count: Int>(_ integers: InlineArray<count, Int>, each last: UInt8) {
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
  package mutating func appendMilliseconds(_ nanoseconds: Int64) {
    appendFraction(UInt64(nanoseconds.magnitude), isNegative: nanoseconds < 0, unit: 1_000_000, digits: 6)
  }

  /// Appends a number given in thousandths: exact, with up to three decimals and no trailing zeros.
  package mutating func appendThousandths(_ value: Int) {
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
  package mutating func append(flags bits: UInt64, names: [String]) {
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
  package mutating func removeLast() { memory.shorten(to: max(length - 1, 0)) }
}

/// The texts of endpoints that were written lately: those of a connection come with each of its messages.
package struct RecentEndpoints {
  private static let count = 128
  /// Octets of each text's place: the longest is an IPv6 address in brackets with a port.
  private static let room = 48
  private var endpoints: [Endpoint] = []
  private var lengths: [UInt8] = []
  /// The texts, a place each.
  private(set) var texts: [UInt8] = []

  /// Where the text of an endpoint is in `texts`, if it is remembered.
  @inline(__always)
  package func place(of endpoint: Endpoint) -> Range<Int>? {
    let place = Self.place(endpoint)
    guard place < endpoints.count, endpoints[place] == endpoint, lengths[place] > 0 else { return nil }
    let start = place * Self.room
    return start..<start + Int(lengths[place])
  }

  /// Remembers a text, instead of another one.
  package mutating func remember(_ text: RawSpan, of endpoint: Endpoint) {
    guard text.byteCount <= Self.room else { return }
    if endpoints.isEmpty {
      endpoints = Array(repeating: endpoint, count: Self.count)
      lengths = Array(repeating: 0, count: Self.count)
      texts = Array(repeating: 0, count: Self.count * Self.room)
    }
    let place = Self.place(endpoint)
    endpoints[place] = endpoint
    text.copy(0..<text.byteCount, to: &texts, at: place * Self.room)
    lengths[place] = UInt8(text.byteCount)
  }

  @inline(__always)
  private static func place(_ endpoint: Endpoint) -> Int {
    let mixed = (endpoint.address.high ^ endpoint.address.low ^ UInt64(endpoint.port) << 20) &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 57)
  }
}

extension RowBuffer {
  /// Appends `address:port`, the address hashed if there is a redaction.
  package mutating func append(_ endpoint: Endpoint, _ redaction: Redaction?) {
    guard let redaction else { return append(endpoint) }
    append(redaction.address(endpoint.address))
    append(UInt8(ascii: ":"))
    append(Int(endpoint.port))
  }

  /// Appends the text of an endpoint that was not written lately.
  package mutating func write(_ endpoint: Endpoint) {
    let address = endpoint.address
    if address.isIPv4 {
      for shift in stride(from: UInt64(24), through: 0, by: -8) {
        append(Int(address.low >> shift & 0xff))
        append(shift == 0 ? UInt8(ascii: ":") : UInt8(ascii: "."))
      }
    } else {
      append(UInt8(ascii: "["))
      appendIPv6(address)
      append(UInt8(ascii: "]"))
      append(UInt8(ascii: ":"))
    }
    append(Int(endpoint.port))
  }

  /// The canonical text of RFC 5952, as `IPAddress.description` has it, without making a string of it.
  private mutating func appendIPv6(_ address: IPAddress) {
    func group(_ index: Int) -> UInt16 {
      UInt16(truncatingIfNeeded: (index < 4 ? address.high : address.low) >> UInt64((3 - index % 4) * 16))
    }
    // §4.2: the longest run of two or more zero groups, the first of equals, becomes "::".
    var longest = 0..<0
    var start = 0
    for index in 0...8 where index == 8 || group(index) != 0 {
      if index - start > max(longest.count, 1) { longest = start..<index }
      start = index + 1
    }
    var index = 0
    while index < 8 {
      if longest.contains(index) {
        append(UInt8(ascii: ":"))
        append(UInt8(ascii: ":"))
        index = longest.upperBound
        continue
      }
      if index > 0, index != longest.upperBound || longest.isEmpty { append(UInt8(ascii: ":")) }
      appendHexadecimal(group(index))
      index += 1
    }
  }

  private mutating func appendHexadecimal(_ group: UInt16) {
    var isLeading = true
    for shift in stride(from: UInt16(12), through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: group >> shift & 0xf)
      if digit == 0, isLeading, shift > 0 { continue }
      isLeading = false
      append(TextEscaping.hexadecimalDigit(digit))
    }
  }
}
