import Packets

/// Collects the octets of one row, without an allocation or a copy for each cell. It is reused from row to row.
///
/// Rows are a large part of a run's cost, so cells are written in place. Only that is unsafe: `OctetBuffer.write` has made the room that
/// each use asks for.
public struct RowBuffer: ~Copyable {
  /// Its initial room exceeds any usual row.
  @usableFromInline var memory = OctetBuffer(capacity: 1024)
  @usableFromInline var endpoints = EndpointTexts()
  /// Memory for texts before they are appended.
  private var escaped: [UInt8] = []
  /// The seconds of the time appended last, with their ten digits: eight and two. Before that, no time has these seconds.
  private var seconds: (value: Int, digits: UInt64, lastDigits: UInt16) = (.min, 0, 0)

  /// Creates an empty row.
  package init() {}

  /// A copy of the octets appended since `clear`.
  package var octets: [UInt8] {
    var copy: [UInt8] = []
    withOctets { $0.append(0..<$0.byteCount, to: &copy) }
    return copy
  }

  /// Lends the octets appended since `clear`.
  @inlinable
  @inline(__always)
  package func withOctets<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.withOctets(body)
  }

  /// The number of octets appended since `clear`.
  @inlinable package var length: Int { memory.count }

  /// Starts over, and keeps the memory.
  @inlinable
  package mutating func clear() { memory.removeAll() }

  /// Removes the last octet, if there is one.
  @inlinable
  @inline(__always)
  package mutating func removeLast() { memory.shorten(to: max(length - 1, 0)) }

  // MARK: Octets and texts of the program

  /// Appends one octet.
  @inlinable
  @inline(__always)
  package mutating func append(_ octet: UInt8) { memory.append(octet) }

  /// Appends octets unchanged.
  @inlinable
  @inline(__always)
  package mutating func append(_ octets: RawSpan) { memory.append(octets) }

  /// Appends the first octets of a piece.
  @inlinable
  @inline(__always)
  package mutating func append(_ count: Int, ofPiece piece: RawSpan) { memory.append(count, ofPiece: piece) }

  /// Appends octets unchanged.
  package mutating func append(_ octets: [UInt8]) { octets.withOctets { memory.append($0) } }

  /// Appends the eight octets of an integer, the lowest first.
  @inline(__always)
  package mutating func append(littleEndian integer: UInt64) {
    unsafe memory.write(atMost: 8) { target in
      unsafe UnsafeMutableRawPointer(target).storeBytes(of: integer.littleEndian, as: UInt64.self)
      return 8
    }
  }

  /// Appends a text of the program unchanged.
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { source in
      unsafe memory.write(atMost: source.count) { target in
        for index in source.indices { unsafe target[index] = source[index] }
        return source.count
      }
    }
  }

  /// Appends a static text unchanged, and one octet after it.
  @inlinable
  @inline(__always)
  package mutating func append(_ text: StaticString, then last: UInt8? = nil) {
    let length = text.utf8CodeUnitCount
    unsafe memory.write(atMost: length + 1) { target in
      unsafe Self.copy(text.utf8Start, length, to: target)
      guard let last else { return length }
      unsafe target[length] = last
      return length + 1
    }
  }

  /// Copies a text, which nearly always has up to sixteen octets, by two words that may overlap.
  @inlinable
  @inline(__always)
  static func copy(_ text: UnsafePointer<UInt8>, _ length: Int, to target: UnsafeMutablePointer<UInt8>) {
    let (source, target) = unsafe (UnsafeRawPointer(text), UnsafeMutableRawPointer(target))
    if length >= 8, length <= 16 {
      let end = unsafe source.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
      unsafe target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
      unsafe target.storeBytes(of: end, toByteOffset: length - 8, as: UInt64.self)
    } else if length >= 4, length < 8 {
      let end = unsafe source.loadUnaligned(fromByteOffset: length - 4, as: UInt32.self)
      unsafe target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
      unsafe target.storeBytes(of: end, toByteOffset: length - 4, as: UInt32.self)
    } else {
      unsafe target.copyMemory(from: source, byteCount: length)
    }
  }

  /// Appends the names of the set bits, separated by spaces.
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

  // MARK: Texts from the wire

  /// Appends octets unchanged, and one more after them, if all are plain (`PlainText`); otherwise appends nothing.
  ///
  /// - Returns: Whether they are plain.
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

  /// Appends escaped text from the wire. With `doublingQuotes`, each `"` is doubled.
  package mutating func appendEscaped(_ text: RawSpan, doublingQuotes: Bool = false) {
    escaped.removeAll(keepingCapacity: true)
    TextEscaping.append(text, doublingQuotes: doublingQuotes, to: &escaped)
    append(escaped)
  }

  /// Appends `address:port`, with IPv6 addresses in brackets.
  @inlinable
  @inline(__always)
  package mutating func append(_ endpoint: Endpoint) {
    if let slot = endpoints.slot(of: endpoint) {
      let count = Int(endpoints.lengths[slot])
      let start = slot &* EndpointTexts.room
      return endpoints.texts.withOctets {
        memory.append(count, ofPiece: $0.extracting(start..<start &+ EndpointTexts.room))
      }
    }
    appendNew(endpoint)
  }

  @inline(never)
  @usableFromInline
  mutating func appendNew(_ endpoint: Endpoint) {
    let start = length
    unsafe memory.write(atMost: Endpoint.longestText) { target in
      var length = 0
      endpoint.forEachOctetOfText { octet in
        unsafe target[length] = octet
        length &+= 1
      }
      return length
    }
    memory.withOctets { endpoints.remember($0.extracting(start..<$0.byteCount), of: endpoint) }
  }

  /// Appends `address:port`, with the address hashed if there is a redaction.
  package mutating func append(_ endpoint: Endpoint, _ redaction: Redaction?) {
    guard let redaction else { return append(endpoint) }
    append(redaction.address(endpoint.address))
    append(UInt8(ascii: ":"))
    append(Int(endpoint.port))
  }

  /// Appends an address, hashed if there is a redaction.
  package mutating func append(_ address: IPAddress, _ redaction: Redaction?) {
    if let redaction { append(redaction.address(address)) } else { address.forEachOctetOfText { append($0) } }
  }

  // MARK: Numbers

  /// Appends an integer in decimal, and one octet after it.
  @inlinable
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
  @inlinable
  @inline(__always)
  package mutating func append<let count: Int>(_ integers: InlineArray<count, Int>, each last: UInt8) {
    unsafe memory.write(atMost: count * Self.integerRoom) { target in
      var length = 0
      for index in integers.indices {
        length &+= unsafe Self.write(integers[index], at: target + length)
        unsafe target[length] = last
        length &+= 1
      }
      return length
    }
  }

  /// Appends a time in nanoseconds since the Unix epoch, and one octet after it. Times of a row and its neighbours share their seconds.
  package mutating func append(time: Int64, then last: UInt8) {
    let (value, rest) = Int(time).quotientAndRemainder(dividingBy: 1_000_000_000)
    if value != seconds.value {
      guard value >= 1_000_000_000, value < 10_000_000_000 else { return append(Int(time), then: last) }
      seconds = Decimal.tenDigits(value)
    }
    let (digits, lastDigits) = (seconds.digits, seconds.lastDigits)
    unsafe memory.write(atMost: 20) { target in
      let octets = UnsafeMutableRawPointer(target)
      unsafe octets.storeBytes(of: digits.littleEndian, as: UInt64.self)
      unsafe octets.storeBytes(of: lastDigits.littleEndian, toByteOffset: 8, as: UInt16.self)
      let (first, others) = UInt64(rest).quotientAndRemainder(dividingBy: 100_000_000)
      unsafe target[10] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: first)
      unsafe Decimal.writeEight(others, skipping: 0, at: target + 11)
      unsafe target[19] = last
      return 20
    }
  }

  /// Room for a sign, digits, and an octet after them.
  @inlinable static var integerRoom: Int { Decimal.room + 2 }

  /// Writes an integer in decimal. Returns the number of octets.
  @inlinable
  @inline(__always)
  static func write(_ integer: Int, at target: UnsafeMutablePointer<UInt8>) -> Int {
    guard integer < 0 else { return unsafe Decimal.write(UInt64(bitPattern: Int64(integer)), at: target) }
    unsafe target[0] = UInt8(ascii: "-")
    return unsafe 1 + Decimal.write(UInt64(integer.magnitude), at: target + 1)
  }

  /// Appends a duration in nanoseconds as exact milliseconds, with up to six decimals and no trailing zeros.
  package mutating func appendMilliseconds(_ nanoseconds: Int64) {
    appendFraction(UInt64(nanoseconds.magnitude), isNegative: nanoseconds < 0, unit: 1_000_000, digits: 6)
  }

  /// Appends a number in thousandths, exactly, with up to three decimals and no trailing zeros.
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
}
