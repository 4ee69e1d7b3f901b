/// The field lines of messages that are not final, without their texts, by the index of a message's row.
struct FieldNotes {
  /// One field line, or one representation of a field block.
  struct Line {
    /// The number of its name in `FieldNames`.
    var name: UInt16
    /// Whether the line is a pseudo-header field (RFC 9113 §8.3).
    var isPseudo = false
    /// Whether the line is a field in the spelling of HTTP/1.1. Pseudo-header fields are not, except the authority, which is Host there.
    var isHeader = true
    /// Octets on the wire.
    var length: Int32
    /// Octets in the spelling of HTTP/1.1; -1 if unknown.
    var expanded: Int32
    /// The mark of its value; 0 if unknown.
    var value: UInt64
  }

  /// Whether a table needs the lines.
  let isWanted: Bool
  /// The names of fields.
  private(set) var names = FieldNames()
  /// The numbers of names that are the only ones of their kind; the largest number until one is asked for.
  private var numbers = [UInt16](repeating: .max, count: FieldNameKind.allCases.count)
  /// Lines of the section in progress, before it is known to be a header section.
  private(set) var section: [Line] = []
  private var lines: [[Line]] = []
  /// Memory of finished lines, for new messages. Nearly all messages have fewer lines than this keeps.
  private var spares = SpareArrays<Line>(limit: 16, capacity: 64)
  /// The number of lines, all messages together.
  private(set) var count = 0
  /// The number of messages that have lines.
  private var holders = 0

  /// Lines of one message; further lines are left out.
  static let messageLimit = 256
  /// Lines of all messages that are not final; further lines are left out.
  static let totalLimit = 1 << 19

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Octets of memory that the lines of open messages take.
  @inline(__always)
  var memory: Int { count &* MemoryLayout<Line>.stride &+ holders &* Self.holderCost }

  /// Overhead of the allocator and the array for one message's lines, and room for lines that it does not have.
  private static var holderCost: Int { 48 + 2 * MemoryLayout<Line>.stride }

  // MARK: Sections that are read at once

  /// Begins a section.
  @inline(__always)
  mutating func startSection() { if !section.isEmpty { section.removeAll(keepingCapacity: true) } }

  /// Adds a line to the section.
  @inline(__always)
  mutating func add(_ line: Line) {
    if section.count < Self.messageLimit { section.append(line) }
  }

  /// Adds a field of a section of HTTP/2 or HTTP/3, whose value has this mark.
  @inline(__always)
  mutating func add(_ name: RawSpan, _ kind: FieldNameKind, _ value: UInt64, length: Int, expanded: Int) {
    guard section.count < Self.messageLimit else { return }
    section.append(
      Line(
        name: number(of: name, kind), isPseudo: kind.isPseudo, isHeader: !kind.isPseudo || kind == .authority,
        length: Int32(clamping: length), expanded: Int32(clamping: expanded), value: value))
  }

  /// The number of a name of this kind.
  @inline(__always)
  private mutating func number(of name: RawSpan, _ kind: FieldNameKind) -> UInt16 {
    guard kind.isOneName else { return names.number(of: name) }
    let known = numbers[Int(kind.rawValue)]
    if known != .max { return known }
    let number = names.number(of: name)
    numbers[Int(kind.rawValue)] = number
    return number
  }

  /// Adds all lines of a familiar section, which are fewer than the limit.
  @inline(__always)
  mutating func add(_ lines: ArraySlice<Line>) { section.append(contentsOf: lines) }

  /// Gives the section to a message.
  mutating func endSection(of row: RowIndex) {
    reserve(row)
    guard !section.isEmpty else { return }
    guard lines[Int(row)].isEmpty, count + section.count <= Self.totalLimit else {
      for line in section { add(line, to: row) }
      return
    }
    count += section.count
    holders += 1
    swap(&lines[Int(row)], &section)
    section = spares.take()
    // Most sections have as many lines as the one before.
    if section.capacity == 0 { section.reserveCapacity(lines[Int(row)].count) }
  }

  // MARK: Lines that come one by one

  /// Adds a line to a message.
  mutating func add(_ line: Line, to row: RowIndex) {
    reserve(row)
    guard lines[Int(row)].count < Self.messageLimit, count < Self.totalLimit else { return }
    if lines[Int(row)].isEmpty {
      holders += 1
      if lines[Int(row)].capacity == 0 { lines[Int(row)] = spares.take() }
    }
    lines[Int(row)].append(line)
    count += 1
  }

  private mutating func reserve(_ row: RowIndex) {
    while lines.count <= Int(row) { lines.append([]) }
  }

  /// The line of a field with a known name and value.
  mutating func line(_ name: RawSpan, _ value: RawSpan, length: Int) -> Line {
    Line(
      name: names.number(of: name), length: Int32(clamping: length), expanded: Int32(clamping: length),
      value: OctetMark.of(value))
  }

  /// The number of a name.
  mutating func number(of name: RawSpan) -> UInt16 { names.number(of: name) }

  /// The lines of a message that is not final.
  func lines(of row: RowIndex) -> [Line] { Int(row) < lines.count ? lines[Int(row)] : [] }

  // MARK: Final messages

  /// Removes and returns the lines of a final message.
  mutating func takeLines(of row: RowIndex) -> [Line] {
    var taken: [Line] = []
    takeLines(of: row, into: &taken)
    return taken
  }

  /// Moves the lines of a final message into an empty array.
  @inline(__always)
  mutating func takeLines(of row: RowIndex, into taken: inout [Line]) {
    guard Int(row) < lines.count else { return }
    swap(&taken, &lines[Int(row)])
    count -= taken.count
    if !taken.isEmpty { holders -= 1 }
  }

  /// Gives back the memory of lines, for new messages.
  mutating func giveBack(_ memory: consuming [Line]) {
    spares.giveBack(memory)
  }
}

/// The names of fields that were seen, lower-case, each with a number. They are never forgotten: there are some hundred.
struct FieldNames {
  private var octets: [UInt8] = []
  /// Where each name begins in `octets`, with the end of the last one.
  private var starts: [Int32] = [0, 0]
  /// Numbers by the marks of their names, 0 if empty. There are at least twice as many buckets as names.
  private var buckets: [UInt16] = []
  /// The name last found for some octets of it: nearly every name is one of a few dozen. A sender who makes all names share a place only
  /// makes each of them look for its bucket.
  private var latest: [UInt16] = []

  /// Names with numbers of their own; in a flood, all further names have the number 0.
  static let limit = 4096
  /// The longest name with a number of its own, in octets; longer ones have the number 0.
  static let longest = 128

  /// The number of names without their own.
  static var none: UInt16 { 0 }

  /// The number of names, 0 included.
  var count: Int { starts.count - 1 }

  /// The name of a number, lower-case; empty for 0.
  subscript(number: UInt16) -> [UInt8] { Array(octets[Int(starts[Int(number)])..<Int(starts[Int(number) + 1])]) }

  /// The number of a name; letter case does not matter.
  mutating func number(of name: RawSpan) -> UInt16 {
    guard name.byteCount > 0, name.byteCount <= Self.longest else { return Self.none }
    if buckets.isEmpty {
      buckets = Array(repeating: 0, count: 4 * Self.limit)
      latest = Array(repeating: 0, count: Self.latestCount)
    }
    let place = Self.place(name)
    if isSame(name, latest[place]) { return latest[place] }
    let number = find(name)
    latest[place] = number
    return number
  }

  /// So many that the few dozen names rarely share a place.
  private static var latestCount: Int { 2048 }

  /// The place in `latest`, with letters of either case alike.
  @inline(__always)
  private static func place(_ name: RawSpan) -> Int {
    Int(truncatingIfNeeded: name.hashOfEnds(ignoring: 0x2020_2020_2020_2020) >> 53)
  }

  @inline(never)
  private mutating func find(_ name: RawSpan) -> UInt16 {
    var bucket = Int(truncatingIfNeeded: OctetMark.ofSmallLetters(name)) & (buckets.count - 1)
    while buckets[bucket] != 0 {
      if isSame(name, buckets[bucket]) { return buckets[bucket] }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    guard count < Self.limit else { return Self.none }
    buckets[bucket] = UInt16(count)
    for offset in 0..<name.byteCount { octets.append(name.octet(offset).lowercased) }
    starts.append(Int32(octets.count))
    return buckets[bucket]
  }

  @inline(__always)
  private func isSame(_ name: RawSpan, _ number: UInt16) -> Bool {
    let start = Int(starts[Int(number)])
    let count = name.byteCount
    guard Int(starts[Int(number) + 1]) - start == count else { return false }
    return octets.withOctets { known in
      let known = known.extracting(start..<start + count)
      guard count >= 8 else { return known.littleEndian(from: 0) == name.littleEndian(from: 0).lowercasedOctets }
      var offset = 0
      while offset &+ 8 < count {
        if known.littleEndian64(within: offset) != name.littleEndian64(within: offset).lowercasedOctets { return false }
        offset &+= 8
      }
      // The last eight octets may overlap those compared before.
      return known.littleEndian64(within: count &- 8) == name.littleEndian64(within: count &- 8).lowercasedOctets
    }
  }
}
