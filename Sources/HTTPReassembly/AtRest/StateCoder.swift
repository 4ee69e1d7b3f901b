/// Writes the state of a value into few octets, or reads it back from them.
///
/// One method of each type says what its state is, and does both: what it writes it reads in the same order, so that the two
/// cannot differ. A value that is zero, or what is expected, takes one bit; others an octet for each seven of their bits.
struct StateCoder: ~Copyable {
  private var words = StateWords()
  /// Whether the values are read, and not written.
  private(set) var isReading = false
  /// Times and numbers are close to the ones before them.
  private var lastTime: Int64 = 0
  private var lastNumber = 0

  /// Starts writing; the first time is expected to be near `time`, and the first number near `number`.
  mutating func startWriting(near time: Int64, _ number: Int) {
    words.removeAll()
    isReading = false
    lastTime = time
    lastNumber = number
  }

  /// What was written.
  func written() -> [UInt8] { words.packed() }

  /// Starts reading what was written with the same `time` and `number`.
  mutating func startReading(_ octets: [UInt8], near time: Int64, _ number: Int) {
    words.unpack(octets)
    isReading = true
    lastTime = time
    lastNumber = number
  }

  // MARK: Values

  @inline(__always)
  mutating func flag(_ value: inout Bool) {
    value = code(value ? 1 : 0) != 0
  }

  @inline(__always)
  mutating func integer<Integer: FixedWidthInteger>(_ value: inout Integer, near expected: Integer = 0) {
    let coded = code(Self.zigzag(Int(truncatingIfNeeded: value) &- Int(truncatingIfNeeded: expected)))
    if isReading { value = Integer(truncatingIfNeeded: Int(truncatingIfNeeded: expected) &+ Self.difference(coded)) }
  }

  /// An integer that can be nil, whose difference from what is expected has less than 63 bits.
  @inline(__always)
  mutating func integer<Integer: FixedWidthInteger>(_ value: inout Integer?, near expected: Integer = 0) {
    let coded = code(
      value.map { Self.zigzag(Int(truncatingIfNeeded: $0) &- Int(truncatingIfNeeded: expected)) &+ 1 } ?? 0)
    guard isReading else { return }
    value =
      coded == 0
      ? nil : Integer(truncatingIfNeeded: Int(truncatingIfNeeded: expected) &+ Self.difference(coded &- 1))
  }

  /// A position; `sentinel` stands for no position, and takes no more than nil does.
  @inline(__always)
  mutating func position(_ value: inout StreamPosition, near expected: StreamPosition = 0, or sentinel: StreamPosition)
  {
    var position = value == sentinel ? nil : Optional(value)
    integer(&position, near: expected == sentinel ? 0 : expected)
    if isReading { value = position ?? sentinel }
  }

  /// Four flags as one value.
  @inline(__always)
  mutating func flags(_ first: inout Bool, _ second: inout Bool, _ third: inout Bool, _ fourth: inout Bool) {
    let coded = code((first ? 1 : 0) | (second ? 2 : 0) | (third ? 4 : 0) | (fourth ? 8 : 0))
    first = coded & 1 != 0
    second = coded & 2 != 0
    third = coded & 4 != 0
    fourth = coded & 8 != 0
  }

  @inline(__always)
  mutating func flag(_ value: inout Bool?) {
    var coded = value.map { $0 ? 2 : 1 } ?? 0
    integer(&coded)
    if isReading { value = coded == 0 ? nil : coded == 2 }
  }

  /// A capture time, near the one before.
  @inline(__always)
  mutating func time(_ value: inout Int64) {
    integer(&value, near: lastTime)
    lastTime = value
  }

  @inline(__always)
  mutating func time(_ value: inout Int64?) {
    integer(&value, near: lastTime)
    if let value { lastTime = value }
  }

  /// The number of a message or exchange, near the one before.
  @inline(__always)
  mutating func number(_ value: inout Int) {
    integer(&value, near: lastNumber)
    lastNumber = value
  }

  @inline(__always)
  mutating func number(_ value: inout Int?) {
    integer(&value, near: lastNumber)
    if let value { lastNumber = value }
  }

  @inline(__always)
  mutating func text(_ value: inout TextID) {
    var index = value.index
    integer(&index)
    if isReading { value = TextID(index: index) }
  }

  @inline(__always)
  mutating func kind<Kind: RawRepresentable>(_ value: inout Kind) where Kind.RawValue: FixedWidthInteger {
    var raw = value.rawValue
    integer(&raw)
    if isReading, let read = Kind(rawValue: raw) { value = read }
  }

  // MARK: Words

  @inline(__always)
  private mutating func code(_ value: UInt64) -> UInt64 {
    if isReading { return words.removeFirst() }
    words.append(value)
    return value
  }

  @inline(__always)
  private static func zigzag(_ value: Int) -> UInt64 { UInt64(bitPattern: Int64(value << 1 ^ value >> 63)) }

  @inline(__always)
  private static func difference(_ value: UInt64) -> Int {
    Int(Int64(bitPattern: value >> 1)) ^ -Int(truncatingIfNeeded: value & 1)
  }
}
