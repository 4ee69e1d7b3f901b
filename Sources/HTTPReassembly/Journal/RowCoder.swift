import Packets

/// Passes through the fields of a row in order, and either writes them or reads them into the row. So writing and reading share one
/// description.
package protocol RowCoder {
  /// The error of reading; writing has none.
  associatedtype Fault: Error

  /// A count or a length, from 0 to below 2⁴⁷; numbers near 0 take the fewest octets.
  mutating func integer(_ value: inout Int) throws(Fault)
  /// A figure of the same range that may be negative.
  mutating func difference(_ value: inout Int) throws(Fault)
  /// A duration in nanoseconds.
  mutating func duration(_ value: inout Int64) throws(Fault)
  /// A time in nanoseconds since the Unix epoch.
  mutating func time(_ value: inout Int64) throws(Fault)
  /// The bits of any number.
  mutating func bits<Bits: FixedWidthInteger & UnsignedInteger>(_ value: inout Bits) throws(Fault)
  /// A text. A row that is read retains it.
  mutating func text(_ value: inout TextID, _ texts: inout TextPool) throws(Fault)
  /// One of several cases, by its number.
  mutating func value<Value: RawRepresentable>(_ value: inout Value) throws(Fault)
  where Value.RawValue: FixedWidthInteger & UnsignedInteger
  /// A small number of octets.
  mutating func octets(_ value: inout [UInt8]) throws(Fault)
}

extension RowCoder {
  package mutating func optional(_ value: inout Int?) throws(Fault) {
    try optional(&value) { coder, known throws(Fault) in try coder.integer(&known) }
  }

  package mutating func optional(_ value: inout Int64?) throws(Fault) {
    try optional(&value) { coder, known throws(Fault) in try coder.duration(&known) }
  }

  private mutating func optional<Number: FixedWidthInteger>(
    _ value: inout Number?, _ code: (inout Self, inout Number) throws(Fault) -> Void
  ) throws(Fault) {
    var isThere = value != nil
    try flag(&isThere)
    guard isThere else { return value = nil }
    var known = value ?? 0
    try code(&self, &known)
    value = known
  }

  /// A text that is in no pool.
  package mutating func string(_ value: inout String) throws(Fault) {
    var utf8 = Array(value.utf8)
    try octets(&utf8)
    value = String(decoding: utf8, as: UTF8.self)
  }

  package mutating func flag(_ value: inout Bool) throws(Fault) {
    var bit: UInt8 = value ? 1 : 0
    try bits(&bit)
    value = bit != 0
  }

  package mutating func optional(_ value: inout Bool?) throws(Fault) {
    var number: UInt8 = value.map { $0 ? 2 : 1 } ?? 0
    try bits(&number)
    value = number == 0 ? nil : number == 2
  }

  package mutating func directional(_ value: inout Directional<Int>) throws(Fault) {
    try integer(&value.client)
    try integer(&value.server)
  }

  package mutating func address(_ value: inout IPAddress) throws(Fault) {
    try bits(&value.high)
    try bits(&value.low)
  }

  package mutating func endpoint(_ value: inout Endpoint) throws(Fault) {
    try address(&value.address)
    try bits(&value.port)
  }
}

/// Writes rows and the other records of a part's analysis.
package struct RowWriting: RowCoder {
  package typealias Fault = Never

  /// The octets written.
  package var octets: [UInt8] = []
  /// The time that the next time is relative to.
  package var base: Int64 = 0
  /// The numbers of the texts written, by their serial numbers in the pool.
  private var known: [Int: Int] = [:]
  /// The room that those texts take.
  private var room = TextRoom()

  package init() {}

  /// Writes a number in groups of seven bits, the lowest first. The eighth bit means that more follow (LEB128).
  package mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    octets.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a signed number. The sign is the lowest bit, so that numbers near 0 are short.
  package mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Writes the number of octets, then the octets.
  package mutating func counted(_ span: RawSpan) {
    number(UInt64(span.byteCount))
    span.append(0..<span.byteCount, to: &octets)
  }

  package mutating func integer(_ value: inout Int) { signed(Int64(value)) }
  package mutating func difference(_ value: inout Int) { signed(Int64(value)) }
  package mutating func duration(_ value: inout Int64) { signed(value) }
  package mutating func time(_ value: inout Int64) { signed(value &- base) }
  package mutating func bits<Bits: FixedWidthInteger & UnsignedInteger>(_ value: inout Bits) { number(UInt64(value)) }
  package mutating func octets(_ value: inout [UInt8]) { value.withOctets { counted($0) } }

  package mutating func value<Value: RawRepresentable>(_ value: inout Value)
  where Value.RawValue: FixedWidthInteger & UnsignedInteger { number(UInt64(value.rawValue)) }

  package mutating func text(_ value: inout TextID, _ texts: inout TextPool) {
    guard value != .none else { return number(0) }
    let serial = texts.serial(value)
    if let known = known[serial] { return number(UInt64(known)) }
    if !room.takes(texts.length(value)) {
      known.removeAll(keepingCapacity: true)
      room = TextRoom()
      _ = room.takes(texts.length(value))
    }
    known[serial] = known.count + 2
    number(1)
    texts.withOctets(value) { counted($0) }
  }
}

/// Reads the output of `RowWriting`.
package struct RowReading: RowCoder {
  package typealias Fault = PartFault

  /// The octets to read.
  private var source: [UInt8] = []
  /// The offset of the next octet.
  private var offset = 0
  /// The time that the next time is relative to.
  package var base: Int64 = 0
  /// The texts read so far, which the reader retains.
  private var known: [TextID] = []
  private var room = TextRoom()
  /// The sum of the magnitudes of all figures read. No sum of them is beyond it.
  private var magnitudes = 0

  /// No figure is this large.
  private static let largest: UInt = 1 << 47
  /// The figures of no captures add up to more. Their sums fit into 64 bits.
  private static let largestSum = 1 << 61

  package init() {}

  /// Goes on with other octets. Pieces consist of whole records.
  package mutating func take(_ octets: consuming [UInt8]) {
    source = octets
    offset = 0
  }

  /// Whether all has been read.
  package var isAtEnd: Bool { offset == source.count }

  /// Releases the texts: the next octets have their own.
  mutating func forgetTexts(_ texts: inout TextPool) {
    for text in known { texts.release(text) }
    known.removeAll(keepingCapacity: true)
    room = TextRoom()
  }

  /// Reads the next octet.
  package mutating func octet() throws(PartFault) -> UInt8 {
    guard offset < source.count else { throw .cut }
    defer { offset += 1 }
    return source[offset]
  }

  package mutating func number() throws(PartFault) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let octet = try octet()
      guard shift < 63 || octet <= 1 else { throw .damaged }
      value |= UInt64(octet & 0x7f) << shift
      if octet < 0x80 { return value }
      shift += 7
    }
  }

  package mutating func signed() throws(PartFault) -> Int64 {
    let bits = try number()
    return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }

  /// Reads a number of octets. Returns the range of the octets that follow.
  private mutating func counted() throws(PartFault) -> Range<Int> {
    guard let count = Int(exactly: try number()), count <= source.count - offset else { throw .cut }
    defer { offset += count }
    return offset..<offset + count
  }

  /// Lends octets that follow their number.
  package mutating func withCounted<Result>(_ body: (RawSpan) -> Result) throws(PartFault) -> Result {
    let range = try counted()
    return source.withOctets { body($0.extracting(range)) }
  }

  package mutating func integer(_ value: inout Int) throws(PartFault) {
    try difference(&value)
    guard value >= 0 else { throw .damaged }
  }

  package mutating func difference(_ value: inout Int) throws(PartFault) {
    let number = Int(try signed())
    guard number.magnitude < Self.largest, magnitudes <= Self.largestSum else { throw .damaged }
    magnitudes += Int(number.magnitude)
    value = number
  }

  package mutating func duration(_ value: inout Int64) throws(PartFault) {
    // The difference of any two times fits, and so does its negative.
    value = max(try signed(), .min + 1)
  }

  package mutating func time(_ value: inout Int64) throws(PartFault) {
    value = PacketTime.bounded(base &+ (try signed()))
  }

  package mutating func bits<Bits: FixedWidthInteger & UnsignedInteger>(_ value: inout Bits) throws(PartFault) {
    guard let known = Bits(exactly: try number()) else { throw .damaged }
    value = known
  }

  package mutating func value<Value: RawRepresentable>(_ value: inout Value) throws(PartFault)
  where Value.RawValue: FixedWidthInteger & UnsignedInteger {
    var raw = value.rawValue
    try bits(&raw)
    guard let known = Value(rawValue: raw) else { throw .damaged }
    value = known
  }

  package mutating func octets(_ value: inout [UInt8]) throws(PartFault) { value = Array(source[try counted()]) }

  package mutating func text(_ value: inout TextID, _ texts: inout TextPool) throws(PartFault) {
    switch try number() {
    case 0: value = .none
    case 1:
      let range = try counted()
      if !room.takes(range.count) {
        forgetTexts(&texts)
        _ = room.takes(range.count)
      }
      value = source.withOctets { texts.intern($0.extracting(range)) }
      guard value != .none else { throw .damaged }
      known.append(value)
      texts.retain(value)
    case let number:
      guard let place = Int(exactly: number - 2), place < known.count else { throw .damaged }
      value = known[place]
      texts.retain(value)
    }
  }
}

/// The room for texts with numbers. Writer and reader forget all of them at the same text.
private struct TextRoom {
  private var count = 0
  private var octets = 0

  private static let countLimit = 1 << 16
  private static let octetLimit = 16 << 20

  /// Whether a text is taken: if there is room, or if it is the first one.
  mutating func takes(_ length: Int) -> Bool {
    guard count == 0 || count < Self.countLimit && octets + length <= Self.octetLimit else { return false }
    count += 1
    octets += length
    return true
  }
}
